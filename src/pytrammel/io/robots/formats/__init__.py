"""One file per format of robot files; each registers itself."""
