"""Model files in TOML, JSON and YAML."""
