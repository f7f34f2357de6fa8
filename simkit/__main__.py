"""The `simkit` command, and `python -m simkit`, which is the same."""

import sys


def main() -> None:
    """Run the command line. Ctrl-C may come while it is still being imported, which takes a good part of a second."""
    try:
        from simkit import cli
    except KeyboardInterrupt:
        print("simkit: interrupted", file=sys.stderr)
        sys.exit(130)
    cli.main()


if __name__ == "__main__":
    main()
