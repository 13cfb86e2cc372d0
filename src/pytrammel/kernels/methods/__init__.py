"""What makes a step: one file per family of methods. `engine` says what each must offer."""
