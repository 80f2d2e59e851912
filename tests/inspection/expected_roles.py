"""What a careful steward would declare, written down before the proposals were looked at.

Where practice knows two answers, both stand here. Adult: occupation is the sensitive column of the
papers, the salary class that of many others; the weight is a QI in docs/facts/bsgi.md. Nursery: the class is
the decision about an application. ACS: occupation and income are the papers' OCC and SAL; difficulties
are health. What a neighbour or colleague can see (ways to work, times) is quasi-identifying.
"""

QI, SENSITIVE, ID, SUBJECT, REST = "quasi-identifying", "sensitive", "identifying", "subject", "insensitive"

ADULT = {
    "age": {QI},
    "workclass": {QI},
    "fnlwgt": {QI, REST},
    "education": {QI},
    "education-num": {QI},
    "marital-status": {QI},
    "occupation": {SENSITIVE},
    "relationship": {QI},
    "race": {QI},
    "sex": {QI},
    "capital-gain": {QI, SENSITIVE},
    "capital-loss": {QI, SENSITIVE},
    "hours-per-week": {QI},
    "native-country": {QI},
    "salary-class": {SENSITIVE},
}

NURSERY = {
    "parents": {QI},
    "has_nurs": {QI},
    "form": {QI},
    "children": {QI},
    "housing": {QI},
    "finance": {QI, SENSITIVE},
    "social": {QI, SENSITIVE},
    "health": {QI, SENSITIVE},
    "class": {SENSITIVE},
}

ACS = {
    "State": {QI},
    "Region": {QI},
    "Division": {QI},
    "Income": {SENSITIVE},
    "Age": {QI},
    "Workclass": {QI},
    "Education": {QI},
    "Marital Status": {QI},
    "Occupation": {SENSITIVE, QI},
    "Place of birth": {QI},
    "Gender": {QI},
    "Race": {QI},
    "Citizenship status": {QI},
    "Self-care difficulty": {SENSITIVE},
    "Hearing difficulty": {SENSITIVE},
    "Vision difficulty": {SENSITIVE},
    "Independent living difficulty": {SENSITIVE},
    "Ambulatory difficulty": {SENSITIVE},
    "Cognitive difficulty": {SENSITIVE},
    "Ability to speak English": {QI},
    "Gave birth to child within the past 12 months": {QI, SENSITIVE},
    "Vehicle occupancy": {QI},
    "Travel time to work": {QI},
    "Means of transportation to work": {QI},
    "Mobility status": {QI},
    "Military service": {QI},
    "Employment status of parents": {QI},
    "Nativity": {QI},
    "Time of arrival at work - hour and minute": {QI},
    "Time of departure for work - hour and minute": {QI},
    "Insurance through a current or former employer or union": {QI, SENSITIVE},
    "Insurance purchased directly from an insurance company": {QI, SENSITIVE},
}

DEMO = {
    "name": {ID},
    "patient": {SUBJECT},
    "age": {QI},
    "sex": {QI},
    "district": {QI},
    "insurance": {QI},
    "admitted": {QI},
    "diagnosis": {SENSITIVE},
}

# Not one of the four: 28,534 rows of 4,711 women. A check that the vocabulary was not made for the others.
WORK = {
    "rownames": {ID, REST},
    "idcode": {SUBJECT},
    "year": {QI, REST},
    "birth_yr": {QI},
    "age": {QI},
    "race": {QI},
    "msp": {QI},
    "nev_mar": {QI},
    "grade": {QI, SENSITIVE},
    "collgrad": {QI},
    "not_smsa": {QI},
    "c_city": {QI},
    "south": {QI},
    "ind_code": {QI},
    "occ_code": {QI, SENSITIVE},
    "union": {QI, SENSITIVE},
    "wks_ue": {QI, SENSITIVE},
    "ttl_exp": {QI},
    "tenure": {QI},
    "hours": {QI},
    "wks_work": {QI},
    "ln_wage": {SENSITIVE},
}
