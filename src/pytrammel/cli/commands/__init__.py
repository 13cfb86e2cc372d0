"""The subcommands of ``pytrammel``: one module each, with its help, its options and what it does.

Everything heavy is imported by the function that needs it, so that help is instant.
"""
