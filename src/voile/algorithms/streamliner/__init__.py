"""The privacy streamliner of Liu and Wang 2012: RIA, RDA and GDA."""
