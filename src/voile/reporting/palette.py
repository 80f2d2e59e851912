"""Colours of charts, as a light page has them: each has a variable in the style."""

INK, MUTED, GRID, PAPER = "#1b1f24", "#57606a", "#d5d9de", "#ffffff"
COLOURS = ("#2f6690", "#b85c00", "#2e7d4f", "#7b4fa3", "#b3261e", "#6b6f76", "#0f766e", "#8a6d00")
VARIABLES = {INK: "--ink", MUTED: "--muted", GRID: "--grid", PAPER: "--paper"} | {
    colour: f"--c{i}" for i, colour in enumerate(COLOURS, 1)
}
