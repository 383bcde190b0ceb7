import sys

print("about to fail", file=sys.stderr)


def deeper():
    import a_module_that_is_not_installed


deeper()
