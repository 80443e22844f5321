"""The lab: experiments as data, run here or on a cluster, stored, drawn, and judged against the paper's claims."""
