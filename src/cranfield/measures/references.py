"""The papers that define the measures, as BibTeX, by key."""

from __future__ import annotations

import re

REFERENCES = {
    "vanrijsbergen1979": """@book{vanrijsbergen1979,
  author = {van Rijsbergen, C. J.},
  title = {Information Retrieval},
  edition = {2nd},
  publisher = {Butterworths},
  year = {1979}
}""",
    "sakai2011ntcireval": """@inproceedings{sakai2011ntcireval,
  author = {Sakai, Tetsuya},
  title = {{NTCIREVAL}: A Generic Toolkit for Information Access Evaluation},
  booktitle = {Proceedings of the Forum on Information Technology (FIT 2011)},
  volume = {2},
  pages = {23--30},
  year = {2011}
}""",
    "sakai2014metrics": """@inproceedings{sakai2014metrics,
  author = {Sakai, Tetsuya},
  title = {Metrics, Statistics, Tests},
  booktitle = {Bridging Between Information Retrieval and Databases (PROMISE Winter School 2013)},
  series = {LNCS 8173},
  pages = {116--163},
  publisher = {Springer},
  year = {2014}
}""",
    "buckley2005": """@incollection{buckley2005,
  author = {Buckley, Chris and Voorhees, Ellen M.},
  title = {Retrieval System Evaluation},
  booktitle = {{TREC}: Experiment and Evaluation in Information Retrieval},
  publisher = {MIT Press},
  year = {2005}
}""",
    "sakai2004": """@inproceedings{sakai2004,
  author = {Sakai, Tetsuya},
  title = {New Performance Metrics based on Multigrade Relevance: Their Application to Question
           Answering},
  booktitle = {Proceedings of NTCIR-4 (Open Submission Session)},
  year = {2004}
}""",
    "voorhees1999": """@inproceedings{voorhees1999,
  author = {Voorhees, Ellen M.},
  title = {The {TREC-8} Question Answering Track Report},
  booktitle = {Proceedings of TREC-8},
  pages = {77--82},
  year = {1999}
}""",
    "jarvelin2002": """@article{jarvelin2002,
  author = {J{\\"a}rvelin, Kalervo and Kek{\\"a}l{\\"a}inen, Jaana},
  title = {Cumulated Gain-Based Evaluation of {IR} Techniques},
  journal = {ACM Transactions on Information Systems},
  volume = {20},
  number = {4},
  pages = {422--446},
  year = {2002}
}""",
    "burges2005": """@inproceedings{burges2005,
  author = {Burges, Chris and Shaked, Tal and Renshaw, Erin and Lazier, Ari and Deeds, Matt and
            Hamilton, Nicole and Hullender, Greg},
  title = {Learning to Rank Using Gradient Descent},
  booktitle = {Proceedings of ICML 2005},
  pages = {89--96},
  year = {2005}
}""",
    "chapelle2009": """@inproceedings{chapelle2009,
  author = {Chapelle, Olivier and Metzler, Donald and Zhang, Ya and Grinspan, Pierre},
  title = {Expected Reciprocal Rank for Graded Relevance},
  booktitle = {Proceedings of CIKM 2009},
  pages = {621--630},
  year = {2009}
}""",
    "moffat2008": """@article{moffat2008,
  author = {Moffat, Alistair and Zobel, Justin},
  title = {Rank-Biased Precision for Measurement of Retrieval Effectiveness},
  journal = {ACM Transactions on Information Systems},
  volume = {27},
  number = {1},
  pages = {2:1--2:27},
  year = {2008}
}""",
    "buckley2004": """@inproceedings{buckley2004,
  author = {Buckley, Chris and Voorhees, Ellen M.},
  title = {Retrieval Evaluation with Incomplete Information},
  booktitle = {Proceedings of SIGIR 2004},
  pages = {25--32},
  year = {2004}
}""",
    "sakai2007": """@inproceedings{sakai2007,
  author = {Sakai, Tetsuya},
  title = {Alternatives to Bpref},
  booktitle = {Proceedings of SIGIR 2007},
  pages = {71--78},
  year = {2007}
}""",
    "macavaney2022": """@inproceedings{macavaney2022,
  author = {MacAvaney, Sean and Macdonald, Craig and Ounis, Iadh},
  title = {Streamlining Evaluation with ir-measures},
  booktitle = {Proceedings of ECIR 2022},
  pages = {305--310},
  year = {2022}
}""",
}


def citation(key: str) -> str:
    """A reference in one line.

    >>> citation("moffat2008")[:62]
    'Moffat, Alistair and Zobel, Justin. Rank-Biased Precision for '
    """
    fields = dict(re.findall(r"(\w+) = \{((?:[^{}]|\{[^{}]*\})*)\}", REFERENCES[key]))
    place = next(fields[k] for k in ("booktitle", "journal", "publisher") if k in fields)
    year = "" if fields["year"] in place else f", {fields['year']}"
    text = f"{fields['author'].rstrip('.')}. {fields['title']}. {place}{year}."
    text = text.replace('{\\"a}', "ä").replace("{", "").replace("}", "")
    return re.sub(r"\s+", " ", text)
