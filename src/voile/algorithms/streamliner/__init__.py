"""The privacy streamliner of paper 000: RIA, RDA and GDA."""
