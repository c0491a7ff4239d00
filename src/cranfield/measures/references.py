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
    "sakai2007one": """@article{sakai2007one,
  author = {Sakai, Tetsuya},
  title = {On the Properties of Evaluation Metrics for Finding One Highly Relevant Document},
  journal = {IPSJ Transactions on Databases},
  volume = {48},
  number = {SIG9 (TOD35)},
  year = {2007}
}""",
    "sakai2008": """@inproceedings{sakai2008,
  author = {Sakai, Tetsuya and Robertson, Stephen},
  title = {Modelling a User Population for Designing Information Retrieval Metrics},
  booktitle = {Proceedings of EVIA 2008},
  pages = {30--41},
  year = {2008}
}""",
    "sakai2011song": """@inproceedings{sakai2011song,
  author = {Sakai, Tetsuya and Song, Ruihua},
  title = {Evaluating Diversified Search Results Using Per-Intent Graded Relevance},
  booktitle = {Proceedings of SIGIR 2011},
  pages = {1043--1052},
  year = {2011}
}""",
    "sakai2013dou": """@inproceedings{sakai2013dou,
  author = {Sakai, Tetsuya and Dou, Zhicheng},
  title = {Summaries, Ranked Retrieval and Sessions: A Unified Framework for Information
           Access Evaluation},
  booktitle = {Proceedings of SIGIR 2013},
  pages = {473--482},
  year = {2013}
}""",
    "sakai2021zeng": """@article{sakai2021zeng,
  author = {Sakai, Tetsuya and Zeng, Zhaohao},
  title = {Retrieval Evaluation Measures that Agree with Users' {SERP} Preferences:
           Traditional, Preference-Based, and Diversity Measures},
  journal = {ACM Transactions on Information Systems},
  volume = {39},
  number = {2},
  year = {2020}
}""",
    "sakai2010cqa": """@inproceedings{sakai2010cqa,
  author = {Sakai, Tetsuya and Ishikawa, Daisuke and Kando, Noriko},
  title = {Overview of the {NTCIR-8} Community {QA} Pilot Task (Part {II}): System Evaluation},
  booktitle = {Proceedings of NTCIR-8},
  pages = {433--457},
  year = {2010}
}""",
    "amigo2018": """@inproceedings{amigo2018,
  author = {Amig{\\'o}, Enrique and Spina, Damiano and Carrillo-de-Albornoz, Jorge},
  title = {An Axiomatic Analysis of Diversity Evaluation Metrics: Introducing the Rank-Biased
           Utility Metric},
  booktitle = {Proceedings of SIGIR 2018},
  pages = {625--634},
  year = {2018}
}""",
    "robertson2006": """@inproceedings{robertson2006,
  author = {Robertson, Stephen},
  title = {On {GMAP}: and Other Transformations},
  booktitle = {Proceedings of CIKM 2006},
  pages = {78--83},
  year = {2006}
}""",
    "robertson2010": """@inproceedings{robertson2010,
  author = {Robertson, Stephen E. and Kanoulas, Evangelos and Yilmaz, Emine},
  title = {Extending Average Precision to Graded Relevance Judgments},
  booktitle = {Proceedings of SIGIR 2010},
  pages = {603--610},
  year = {2010}
}""",
    "robertson2012": """@inproceedings{robertson2012,
  author = {Robertson, Stephen},
  title = {On Smoothing Average Precision},
  booktitle = {Proceedings of ECIR 2012},
  pages = {158--169},
  year = {2012}
}""",
    "kishida2005": """@techreport{kishida2005,
  author = {Kishida, Kazuaki},
  title = {Property of Average Precision and its Generalization: An Examination of Evaluation
           Indicator for Information Retrieval Experiments},
  institution = {NII Technical Reports NII-2005-014E},
  year = {2005}
}""",
    "eguchi2003": """@techreport{eguchi2003,
  author = {Eguchi, Koji and Oyama, Keizo and Ishida, Emi and Kando, Noriko and Kuriyama,
           Kazuko},
  title = {Overview of the Web Retrieval Task at the Third {NTCIR} Workshop},
  institution = {NII Technical Reports NII-2003-002E},
  year = {2003}
}""",
    "smucker2012": """@inproceedings{smucker2012,
  author = {Smucker, Mark D. and Clarke, Charles L. A.},
  title = {Time-Based Calibration of Effectiveness Measures},
  booktitle = {Proceedings of SIGIR 2012},
  pages = {95--104},
  year = {2012}
}""",
    "clarke2021": """@article{clarke2021,
  author = {Clarke, Charles L. A. and Vtyurina, Alexandra and Smucker, Mark D.},
  title = {Assessing Top-k Preferences},
  journal = {ACM Transactions on Information Systems},
  volume = {39},
  number = {3},
  year = {2021}
}""",
    "debeer2006": """@inproceedings{debeer2006,
  author = {De Beer, Jan and Moens, Marie-Francine},
  title = {Rpref: A Generalization of Bpref towards Graded Relevance Judgments},
  booktitle = {Proceedings of SIGIR 2006},
  pages = {637--638},
  year = {2006}
}""",
    "yilmaz2006": """@inproceedings{yilmaz2006,
  author = {Yilmaz, Emine and Aslam, Javed A.},
  title = {Estimating Average Precision with Incomplete and Imperfect Judgments},
  booktitle = {Proceedings of CIKM 2006},
  pages = {102--111},
  year = {2006}
}""",
    "yilmaz2008": """@inproceedings{yilmaz2008,
  author = {Yilmaz, Emine and Kanoulas, Evangelos and Aslam, Javed A.},
  title = {A Simple and Efficient Sampling Method for Estimating {AP} and {NDCG}},
  booktitle = {Proceedings of ACM SIGIR 2008},
  pages = {603--610},
  year = {2008}
}""",
    "magdy2010": """@inproceedings{magdy2010,
  author = {Magdy, Walid and Jones, Gareth J. F.},
  title = {{PRES}: A Score Metric for Evaluating Recall-Oriented Information Retrieval
           Applications},
  booktitle = {Proceedings of ACM SIGIR 2010},
  pages = {611--618},
  year = {2010}
}""",
    "cooper1968": """@article{cooper1968,
  author = {Cooper, William S.},
  title = {Expected Search Length: A Single Measure of Retrieval Effectiveness Based on the Weak
           Ordering Action of Retrieval Systems},
  journal = {American Documentation},
  volume = {19},
  number = {1},
  pages = {30--41},
  year = {1968}
}""",
    "papineni2002": """@inproceedings{papineni2002,
  author = {Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing},
  title = {{BLEU}: a Method for Automatic Evaluation of Machine Translation},
  booktitle = {Proceedings of ACL 2002},
  pages = {311--318},
  year = {2002}
}""",
    "post2018": """@inproceedings{post2018,
  author = {Post, Matt},
  title = {A Call for Clarity in Reporting {BLEU} Scores},
  booktitle = {Proceedings of WMT 2018},
  pages = {186--191},
  year = {2018}
}""",
    "jarvelin2008": """@inproceedings{jarvelin2008,
  author = {J{\\"a}rvelin, Kalervo and Price, Susan L. and Delcambre, Lois M. L. and Nielsen,
           Marianne Lykke},
  title = {Discounted Cumulated Gain Based Evaluation of Multiple-Query {IR} Sessions},
  booktitle = {Proceedings of ECIR 2008},
  pages = {4--15},
  year = {2008}
}""",
    "pollock1968": """@article{pollock1968,
  author = {Pollock, Stephen M.},
  title = {Measures for the Comparison of Information Retrieval Systems},
  journal = {American Documentation},
  volume = {19},
  number = {4},
  pages = {387--397},
  year = {1968}
}""",
    "mcsherry2008": """@inproceedings{mcsherry2008,
  author = {McSherry, Frank and Najork, Marc},
  title = {Computing Information Retrieval Performance Measures Efficiently in the Presence of
           Tied Scores},
  booktitle = {Proceedings of ECIR 2008},
  pages = {414--421},
  year = {2008}
}""",
    "kantor2000": """@article{kantor2000,
  author = {Kantor, Paul B. and Voorhees, Ellen M.},
  title = {The {TREC-5} Confusion Track: Comparing Retrieval Methods for Scanned Text},
  journal = {Information Retrieval},
  volume = {2},
  number = {2--3},
  pages = {165--176},
  year = {2000}
}""",
    "harman1992": """@article{harman1992,
  author = {Harman, Donna},
  title = {Evaluation Issues in Information Retrieval},
  journal = {Information Processing and Management},
  volume = {28},
  number = {4},
  pages = {439--440},
  year = {1992}
}""",
    "moffat2012": """@inproceedings{moffat2012,
  author = {Moffat, Alistair and Scholer, Falk and Thomas, Paul},
  title = {Models and Metrics: {IR} Evaluation as a User Process},
  booktitle = {Proceedings of the Australasian Document Computing Symposium (ADCS 2012)},
  pages = {47--54},
  year = {2012}
}""",
    "moffat2013": """@inproceedings{moffat2013,
  author = {Moffat, Alistair and Thomas, Paul and Scholer, Falk},
  title = {Users Versus Models: What Observation Tells Us About Effectiveness Metrics},
  booktitle = {Proceedings of CIKM 2013},
  pages = {659--668},
  year = {2013}
}""",
    "moffat2015": """@inproceedings{moffat2015,
  author = {Moffat, Alistair and Bailey, Peter and Scholer, Falk and Thomas, Paul},
  title = {{INST}: An Adaptive Metric for Information Retrieval Evaluation},
  booktitle = {Proceedings of the Australasian Document Computing Symposium (ADCS 2015)},
  pages = {5:1--5:4},
  year = {2015}
}""",
    "moffat2017": """@article{moffat2017,
  author = {Moffat, Alistair and Bailey, Peter and Scholer, Falk and Thomas, Paul},
  title = {Incorporating User Expectations and Behavior into the Measurement of Search
           Effectiveness},
  journal = {ACM Transactions on Information Systems},
  volume = {35},
  number = {3},
  pages = {24:1--24:38},
  year = {2017}
}""",
    "zhang2017": """@inproceedings{zhang2017,
  author = {Zhang, Fan and Liu, Yiqun and Li, Xin and Zhang, Min and Xu, Yinghui and
            Ma, Shaoping},
  title = {Evaluating Web Search with a Bejeweled Player Model},
  booktitle = {Proceedings of SIGIR 2017},
  pages = {425--434},
  year = {2017}
}""",
    "azzopardi2014": """@inproceedings{azzopardi2014,
  author = {Azzopardi, Leif},
  title = {Modelling Interaction with Economic Models of Search},
  booktitle = {Proceedings of SIGIR 2014},
  pages = {3--12},
  year = {2014}
}""",
    "azzopardi2018": """@inproceedings{azzopardi2018,
  author = {Azzopardi, Leif and Thomas, Paul and Craswell, Nick},
  title = {Measuring the Utility of Search Engine Result Pages: An Information Foraging Based
           Measure},
  booktitle = {Proceedings of SIGIR 2018},
  pages = {605--614},
  year = {2018}
}""",
    "azzopardi2019": """@inproceedings{azzopardi2019,
  author = {Azzopardi, Leif and Thomas, Paul and Moffat, Alistair},
  title = {cwl\\_eval: An Evaluation Tool for Information Retrieval},
  booktitle = {Proceedings of SIGIR 2019},
  pages = {1321--1324},
  year = {2019}
}""",
    "azzopardi2021": """@inproceedings{azzopardi2021,
  author = {Azzopardi, Leif and Mackenzie, Joel and Moffat, Alistair},
  title = {{ERR} is not {C/W/L}: Exploring the Relationship Between Expected Reciprocal Rank and
           Other Metrics},
  booktitle = {Proceedings of ICTIR 2021},
  pages = {231--237},
  year = {2021}
}""",
    "kanoulas2011": """@inproceedings{kanoulas2011,
  author = {Kanoulas, Evangelos and Carterette, Ben and Clough, Paul D. and Sanderson, Mark},
  title = {Evaluating Multi-Query Sessions},
  booktitle = {Proceedings of SIGIR 2011},
  pages = {1053--1062},
  year = {2011}
}""",
    "werman1985": """@article{werman1985,
  author = {Werman, Michael and Peleg, Shmuel and Rosenfeld, Azriel},
  title = {A Distance Metric for Multidimensional Histograms},
  journal = {Computer Vision, Graphics, and Image Processing},
  volume = {32},
  number = {3},
  pages = {328--336},
  year = {1985}
}""",
    "lin1991": """@article{lin1991,
  author = {Lin, Jianhua},
  title = {Divergence Measures Based on the {Shannon} Entropy},
  journal = {IEEE Transactions on Information Theory},
  volume = {37},
  number = {1},
  pages = {145--151},
  year = {1991}
}""",
    "sakai2018": """@inproceedings{sakai2018,
  author = {Sakai, Tetsuya},
  title = {Comparing Two Binned Probability Distributions for Information Access Evaluation},
  booktitle = {Proceedings of SIGIR 2018},
  pages = {1073--1076},
  year = {2018}
}""",
    "lin2004": """@inproceedings{lin2004,
  author = {Lin, Chin-Yew},
  title = {{ROUGE}: A Package for Automatic Evaluation of Summaries},
  booktitle = {Proceedings of the ACL 2004 Workshop on Text Summarization Branches Out},
  pages = {74--81},
  year = {2004}
}""",
    "lin2006": """@article{lin2006,
  author = {Lin, Jimmy and Demner-Fushman, Dina},
  title = {Methods for Automatically Evaluating Answers to Complex Questions},
  journal = {Information Retrieval},
  volume = {9},
  number = {5},
  pages = {565--587},
  year = {2006}
}""",
    "rajpurkar2016": """@inproceedings{rajpurkar2016,
  author = {Rajpurkar, Pranav and Zhang, Jian and Lopyrev, Konstantin and Liang, Percy},
  title = {{SQuAD}: 100,000+ Questions for Machine Comprehension of Text},
  booktitle = {Proceedings of EMNLP 2016},
  pages = {2383--2392},
  year = {2016}
}""",
    "pradeep2025": """@inproceedings{pradeep2025,
  author = {Pradeep, Ronak and Thakur, Nandan and Upadhyay, Shivani and Campos, Daniel and
            Craswell, Nick and Lin, Jimmy},
  title = {The Great Nugget Recall: Automating Fact Extraction and {RAG} Evaluation with Large
           Language Models},
  booktitle = {Proceedings of ACM SIGIR 2025},
  year = {2025}
}""",
    "thakur2025": """@inproceedings{thakur2025,
  author = {Thakur, Nandan and Pradeep, Ronak and Upadhyay, Shivani and Campos, Daniel and
            Craswell, Nick and Lin, Jimmy},
  title = {Support Evaluation for the {TREC} 2024 {RAG} Track: Comparing Human versus {LLM} Judges},
  booktitle = {Proceedings of ACM SIGIR 2025},
  year = {2025}
}""",
    "arora2025": """@techreport{arora2025,
  author = {Arora, Rahul K. and Wei, Jason and Soskin Hicks, Rebecca and others},
  title = {{HealthBench}: Evaluating Large Language Models Towards Improved Human Health},
  institution = {arXiv 2505.08775},
  year = {2025}
}""",
    "sakai2011kato": """@inproceedings{sakai2011kato,
  author = {Sakai, Tetsuya and Kato, Makoto P. and Song, Young-In},
  title = {Click the Search Button and Be Happy: Evaluating Direct and Immediate Information
           Access},
  booktitle = {Proceedings of CIKM 2011},
  pages = {621--630},
  year = {2011}
}""",
    "zhai2003": """@inproceedings{zhai2003,
  author = {Zhai, ChengXiang and Cohen, William W. and Lafferty, John},
  title = {Beyond Independent Relevance: Methods and Evaluation Metrics for Subtopic Retrieval},
  booktitle = {Proceedings of ACM SIGIR 2003},
  pages = {10--17},
  year = {2003}
}""",
    "clarke2008": """@inproceedings{clarke2008,
  author = {Clarke, Charles L. A. and Kolla, Maheedhar and Cormack, Gordon V. and Vechtomova, Olga
            and Ashkan, Azin and B{\\"u}ttcher, Stefan and MacKinnon, Ian},
  title = {Novelty and Diversity in Information Retrieval Evaluation},
  booktitle = {Proceedings of ACM SIGIR 2008},
  pages = {659--666},
  year = {2008}
}""",
    "agrawal2009": """@inproceedings{agrawal2009,
  author = {Agrawal, Rakesh and Gollapudi, Sreenivas and Halverson, Alan and Ieong, Samuel},
  title = {Diversifying Search Results},
  booktitle = {Proceedings of ACM WSDM 2009},
  pages = {5--14},
  year = {2009}
}""",
    "clarke2009": """@inproceedings{clarke2009,
  author = {Clarke, Charles L. A. and Kolla, Maheedhar and Vechtomova, Olga},
  title = {An Effectiveness Measure for Ambiguous and Underspecified Queries},
  booktitle = {Proceedings of ICTIR 2009 (LNCS 5766)},
  pages = {188--199},
  year = {2009}
}""",
    "clarke2011": """@inproceedings{clarke2011,
  author = {Clarke, Charles L. A. and Craswell, Nick and Soboroff, Ian and Ashkan, Azin},
  title = {A Comparative Analysis of Cascade Measures for Novelty and Diversity},
  booktitle = {Proceedings of ACM WSDM 2011},
  pages = {75--84},
  year = {2011}
}""",
    "sakai2012": """@inproceedings{sakai2012,
  author = {Sakai, Tetsuya},
  title = {Evaluation with Informational and Navigational Intents},
  booktitle = {Proceedings of WWW 2012},
  pages = {499--508},
  year = {2012}
}""",
    "sakai2012kato": """@inproceedings{sakai2012kato,
  author = {Sakai, Tetsuya and Kato, Makoto P.},
  title = {One Click One Revisited: Enhancing Evaluation Based on Information Units},
  booktitle = {Proceedings of AIRS 2012},
  year = {2012}
}""",
    "qin2013": """@article{qin2013,
  author = {Qin, Tao and Liu, Tie-Yan},
  title = {Introducing {LETOR} 4.0 Datasets},
  journal = {arXiv preprint arXiv:1306.2597},
  year = {2013}
}""",
    "thakur2021": """@inproceedings{thakur2021,
  author = {Thakur, Nandan and Reimers, Nils and R{\\"u}ckl{\\'e}, Andreas and Srivastava, Abhishek
            and Gurevych, Iryna},
  title = {{BEIR}: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval
           Models},
  booktitle = {Proceedings of the NeurIPS Track on Datasets and Benchmarks},
  year = {2021}
}""",
    "yamamoto2016": """@inproceedings{yamamoto2016,
  author = {Yamamoto, Takehiro and Liu, Yiqun and Zhang, Min and Dou, Zhicheng and Zhou, Ke and
    Markov, Ilya and Kato, Makoto P. and Ohshima, Hiroaki and Fujita, Sumio},
  title = {Overview of the {NTCIR}-12 {IMine}-2 Task},
  booktitle = {Proceedings of NTCIR-12},
  pages = {8--26},
  year = {2016}
}""",
}


def format_citation(key: str) -> str:
    """Format a reference in one line.

    >>> format_citation("moffat2008")[:62]
    'Moffat, Alistair and Zobel, Justin. Rank-Biased Precision for '
    """
    fields = dict(re.findall(r"(\w+) = \{((?:[^{}]|\{[^{}]*\})*)\}", REFERENCES[key]))
    places = ("booktitle", "journal", "publisher", "institution")
    place = next(fields[k] for k in places if k in fields)
    year = "" if fields["year"] in place else f", {fields['year']}"
    text = f"{fields['author'].rstrip('.')}. {fields['title']}. {place}{year}."
    letters = {'{\\"a}': "ä", '{\\"u}': "ü", "{\\'o}": "ó", "{\\'e}": "é", "\\_": "_", "{": "", "}": ""}
    for code, letter in letters.items():
        text = text.replace(code, letter)
    return re.sub(r"\s+", " ", text)
