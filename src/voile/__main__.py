"""`python -m voile`."""

from voile.cli.main import main

main()
