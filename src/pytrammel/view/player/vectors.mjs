// Vectors, and 4 x 4 matrices by columns.
export const add = (a, b, k = 1) => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]], sub = (a, b) => add(a, b, -1);
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2], size = a => Math.hypot(a[0], a[1], a[2]), scale = (a, k) => [k * a[0], k * a[1], k * a[2]];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const unit = a => { const n = size(a); return n > 0 ? scale(a, 1 / n) : [0, 0, 1]; };
export function across(z) {  // two directions that make a right-handed set with z
  const m = z.map(Math.abs), least = m[0] <= m[1] && m[0] <= m[2] ? [1, 0, 0] : m[1] <= m[2] ? [0, 1, 0] : [0, 0, 1];
  const x = unit(add(least, z, -dot(least, z)));
  return [x, cross(z, x)];
}
export const move = (M, p) => [0, 1, 2].map(r => M[r] * p[0] + M[4 + r] * p[1] + M[8 + r] * p[2] + M[12 + r]);
export const turned = (M, p) => [0, 1, 2].map(r => M[r] * p[0] + M[4 + r] * p[1] + M[8 + r] * p[2]);
export function times(A, B) {
  const C = new Array(16);
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++)
    C[4 * c + r] = A[r] * B[4 * c] + A[4 + r] * B[4 * c + 1] + A[8 + r] * B[4 * c + 2] + A[12 + r] * B[4 * c + 3];
  return C;
}
export const still = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
