"""Methods of textbooks with every step shown."""
