"""What column names mean, in the languages a steward of European or American registers meets.

Whole words only: `page` is not an age. Words are written without
accents, as `words_of` makes them; a phrase also matches where it is written as one word.
"""

import re
import unicodedata
from dataclasses import dataclass

from voile.core.schema import Role


@dataclass(frozen=True)
class Concept:
    """One thing that columns are about."""

    meaning: str  # for the reason that is shown
    role: Role
    words: str
    sure: bool = True  # False: the role is asked for
    specific: bool = True  # False: counts only if no specific word is in the name
    codes: bool = False  # its numbers are codes, not amounts


_ID, _SUBJECT, _QI, _SA = Role.IDENTIFYING, Role.SUBJECT, Role.QUASI_IDENTIFYING, Role.SENSITIVE

CONCEPTS = (
    Concept(
        "a person's name",
        _ID,
        "first name, last name, full name, given name, family name, middle name, maiden name, surname, "
        "forename, patient name, person name, client name, customer name, student name, employee name, user "
        "name, login, initials, vorname, nachname, familienname, geburtsname, prenom, nom de famille, nom "
        "complet, nombre, apellido, apellidos, nome, cognome, sobrenome, voornaam, achternaam, fornavn, "
        "efternavn, etternavn, fornamn, efternamn, nachnamen",
    ),
    Concept("a name", _ID, "name, names, namen, naam, navn, namn, nom", specific=False),
    Concept(
        "a number or address of one person",
        _ID,
        "ssn, social security number, social security, national id, nin, nhs number, nhs, nir, insee, dni, "
        "nie, nif, nss, curp, rfc, codice fiscale, cpf, bsn, burgerservicenummer, cpr, cpr number, "
        "personnummer, fodselsnummer, personalausweis, ausweisnummer, steuernummer, steuer id, "
        "sozialversicherungsnummer, svnr, versichertennummer, krankenversichertennummer, kvnr, ahv, ahv "
        "nummer, passport, passport number, reisepass, passeport, pasaporte, passaporto, driver license, "
        "drivers license, driving licence, tax id, iban, bic, account number, bank account, kontonummer, "
        "konto, credit card, card number, insurance number, policy number, mrn, medical record number, "
        "license plate, kennzeichen, matricula, vin, imei, mac address, ip, ip address, device id, cookie, "
        "url, website, homepage, photo, foto, biometric",
    ),
    Concept(
        "a way to reach a person",
        _ID,
        "email, e mail, mail, mail address, telephone, phone, phone number, mobile, cell phone, fax, tel, "
        "telefon, telefonnummer, handy, handynummer, mobil, mobilnummer, courriel, correo, correo "
        "electronico, telefono, movil, cellulare, telefoon, telefoonnummer, address, street, street "
        "address, home address, adresse, strasse, hausnummer, house number, rue, direccion, calle, "
        "indirizzo, via, adres, straat, gade, vej, adress, gata, gatuadress, endereco, morada, rua, "
        "latitude, longitude, lat, lon, lng, gps, coordinates, koordinaten, geo point",
    ),
    Concept(
        "a person",
        _SUBJECT,
        "patient, patients, patient id, patient number, patient nr, patientennummer, patienten id, "
        "patienten nr, pid, person, person id, person number, personal id, persid, pers id, pnr, subject, "
        "subject id, client, client id, customer, customer id, kunde, kunden id, kundennummer, member, "
        "member id, mitglied, mitgliedsnummer, student id, matrikelnummer, pupil id, employee id, "
        "personalnummer, user, user id, participant, participant id, proband, probanden id, respondent, "
        "respondent id, case id, fallnummer, fall id, caseid, idcode, id code, patiente, paciente, paciente "
        "id, id paciente, paziente, id paziente, id patient, numero patient, deelnemer, patientnummer, "
        "klant, klantnummer, borger, kund, kundnummer, individual, individual id, household id, hhid, "
        "resident id",
    ),
    Concept(
        "an identifier",
        _ID,
        "id, ids, identifier, uuid, guid, key, record, record id, record number, row, row id, row number, "
        "rownames, rownum, index, idx, nr, no, num, number, nummer, numero, lfd nr, laufende nummer, "
        "kennung, schluessel, schlussel, serial, serial number, token, hash, reference, ref, case number, "
        "aktenzeichen, identifiant, identificador, identificativo",
        sure=False,
        specific=False,
    ),
    Concept(
        "free text",
        _ID,
        "comment, comments, note, notes, remark, remarks, free text, description, bemerkung, bemerkungen, "
        "kommentar, anmerkung, notiz, freitext, commentaire, remarque, observaciones, comentario, nota, "
        "opmerking, opmerkingen, kommentarer, osservazioni, anamnese, anamnesis, report, befund, arztbrief",
        sure=False,
    ),
    Concept(
        "age or birth",
        _QI,
        "age, ages, age group, age years, alter, altersgruppe, jahrgang, geburtsdatum, geburtsjahr, "
        "geburtstag, geburtsmonat, birth date, date of birth, dob, birthday, birth year, birth yr, year of "
        "birth, yob, birth month, born, edad, fecha de nacimiento, fecha nacimiento, nacimiento, ano de "
        "nacimiento, date de naissance, date naissance, naissance, annee de naissance, eta, data di "
        "nascita, data nascita, nascita, anno di nascita, idade, data de nascimento, nascimento, leeftijd, "
        "geboortedatum, geboortejaar, alder, fodselsdato, fodselsdag, fodelsedatum, fodelsear, aldersgruppe",
    ),
    Concept(
        "sex or gender",
        _QI,
        "sex, gender, geschlecht, sexe, sexo, sesso, genero, genere, geslacht, kon, koen, kjonn, anrede, "
        "salutation, male, female",
        codes=True,
    ),
    Concept(
        "a place",
        _QI,
        "zip, zip code, zipcode, postal code, post code, postcode, plz, postleitzahl, code postal, cp, "
        "codigo postal, cap, codice postale, postnummer, postnr, cep, city, town, village, municipality, "
        "county, district, region, state, province, department, country, nation, division, location, area, "
        "borough, neighborhood, neighbourhood, census tract, tract, suburb, parish, residence, locality, "
        "place, ort, wohnort, stadt, gemeinde, landkreis, kreis, bezirk, bundesland, land, ville, commune, "
        "departement, pays, quartier, ciudad, municipio, provincia, pais, barrio, comuna, citta, comune, "
        "regione, paese, cidade, concelho, distrito, stad, gemeente, woonplaats, provincie, wijk, by, "
        "kommune, amt, lan, kommun, landsdel, nuts, canton, kanton, urban, rural",
        codes=True,
    ),
    Concept(
        "origin",
        _QI,
        "race, races, ethnicity, ethnic, ethnic group, ethnic origin, nationality, citizenship, place of "
        "birth, birthplace, country of birth, birth country, native country, native, nativity, origin, "
        "immigrant, immigration, migration, migration background, migrationshintergrund, "
        "staatsangehoerigkeit, staatsangehorigkeit, nationalitaet, nationalitat, herkunft, herkunftsland, "
        "geburtsort, geburtsland, nationalite, origine, lieu de naissance, pays de naissance, nacionalidad, "
        "etnia, raza, lugar de nacimiento, cittadinanza, nazionalita, luogo di nascita, nationaliteit, "
        "herkomst, geboorteland, geboorteplaats, nationalitet, medborgarskap, statsborgerskab, fodeland, "
        "language, mother tongue, sprache, muttersprache, langue, idioma, lingua, taal, sprog, sprak",
        codes=True,
    ),
    Concept(
        "family",
        _QI,
        "marital status, marital, married, civil status, marriage, family status, relationship, spouse, "
        "familienstand, etat civil, situation familiale, statut matrimonial, estado civil, stato civile, "
        "burgerlijke staat, burgerlijke stand, civilstand, sivilstatus, housing, tenancy, home ownership, "
        "parents",
        codes=True,
    ),
    Concept(
        "household",
        _QI,
        "family size, household size, household, children, kids, number of children, dependents, kinder, "
        "haushalt, haushaltsgroesse, haushaltsgrosse, enfants, nombre d enfants, menage, hijos, hogar, "
        "figli, nucleo familiare, filhos, kinderen, huishouden, barn, husstand, hushall, hushallsstorlek",
    ),
    Concept(
        "education",
        _QI,
        "education, education level, educational level, degree, school, schooling, grade level, years of "
        "education, graduate, qualification, bildung, schulabschluss, abschluss, bildungsabschluss, schule, "
        "ausbildung, formation, diplome, niveau d etudes, etudes, educacion, estudios, nivel de estudios, "
        "istruzione, titolo di studio, escolaridade, opleiding, opleidingsniveau, uddannelse, utbildning, "
        "utdanning, university, college",
    ),
    Concept(
        "work",
        _QI,
        "work class, class of worker, employment, employment status, employer, employed, industry, sector, "
        "branch, hours, hours per week, working hours, tenure, seniority, military, military service, "
        "veteran, arbeitgeber, branche, beschaeftigung, beschaftigung, erwerbsstatus, arbeitszeit, "
        "betriebszugehoerigkeit, employeur, emploi, secteur, empleador, empleo, datore di lavoro, impiego, "
        "settore, werkgever, arbejdsgiver, arbetsgivare, work experience, experience",
    ),
    Concept(
        "a stay or a visit",
        _QI,
        "admission, admission date, admitted, discharge, discharge date, discharged, visit, visit date, "
        "encounter, encounter date, date of service, enrolment, enrollment, registration date, date of "
        "death, death date, hospital, clinic, ward, aufnahme, aufnahmedatum, entlassung, entlassungsdatum, "
        "todesdatum, besuchsdatum, krankenhaus, klinik, station, date d admission, date d entree, date de "
        "sortie, hopital, fecha de ingreso, fecha de alta, data ricovero, ricovero, dimissione, ospedale, "
        "opnamedatum, ontslagdatum, ziekenhuis, indlaeggelse, inskrivning, sygehus, sjukhus",
        sure=False,
    ),
    Concept(
        "insurance",
        _QI,
        "insurance, insurer, payer, versicherung, krankenkasse, kostentraeger, assurance, mutuelle, "
        "aseguradora, seguro, assicurazione, verzekering, zorgverzekeraar, forsikring, forsakring",
        sure=False,
    ),
    Concept(
        "something visible",
        _QI,
        "vehicle, vehicles, car, cars, transport, transportation, commute, travel time, arrival, departure, "
        "auto, fahrzeug, voiture, coche, height, body height, groesse, grosse, taille, eye color, eye "
        "colour, hair color, hair colour, birth",
        sure=False,
    ),
    Concept(
        "a disease or its treatment",
        _SA,
        "diagnosis, diagnoses, diagnose, diagnosen, disease, illness, condition, medical condition, icd, "
        "icd code, primary diagnosis, hauptdiagnose, krankheit, erkrankung, maladie, diagnostic, "
        "diagnostico, enfermedad, diagnosi, malattia, doenca, ziekte, aandoening, sygdom, sjukdom, sykdom, "
        "diagnoskod, hiv, hiv status, aids, cancer, krebs, tumor, diabetes, stage, tumor stage, "
        "comorbidity, symptom, symptoms, symptome, treatment, therapy, therapie, behandlung, traitement, "
        "tratamiento, trattamento, behandeling, behandling, procedure, operation, ops, surgery, medication, "
        "medicine, drug, drugs, prescription, medikament, arzneimittel, medicament, medicamento, farmaco, "
        "medicijn, medicin, laegemiddel, lab result, test result, result, blood pressure, cholesterol, "
        "hba1c, bmi, blutdruck, allergy, allergies, pregnant, pregnancy, abortion, schwangerschaft, "
        "grossesse, embarazo, mental health, depression, addiction, smoker, smoking, alcohol, raucher, "
        "cause of death, todesursache, vaccination, impfung",
    ),
    Concept(
        "health or disability",
        _SA,
        "health, health status, disability, disabled, handicap, impairment, difficulty, gesundheit, "
        "gesundheitszustand, behinderung, pflegegrad, sante, salud, discapacidad, salute, invalidita, "
        "gezondheid, helbred, halsa, funktionsnedsattning",
    ),
    Concept(
        "income or wealth",
        _SA,
        "income, salary, wage, wages, earnings, pay, payroll, pension, net income, gross income, revenue, "
        "capital, capital gain, capital loss, assets, wealth, debt, loan, credit, credit score, balance, "
        "rent, tax, finance, finances, financial situation, benefit, benefits, einkommen, gehalt, lohn, "
        "rente, bruttolohn, nettolohn, vermoegen, vermogen, schulden, kredit, sozialhilfe, salaire, revenu, "
        "revenus, traitement mensuel, dette, retraite, salario, sueldo, ingresos, renta, deuda, stipendio, "
        "reddito, debito, pensione, rendimento, inkomen, loon, salaris, schuld, pensioen, lon, indkomst, "
        "gaeld, inkomst, skuld, inntekt",
    ),
    Concept(
        "a belief, an orientation or an offence",
        _SA,
        "religion, denomination, faith, belief, sexual orientation, political party, party, political "
        "opinion, vote, voting, union membership, trade union, konfession, glaube, partei, partei "
        "mitgliedschaft, sexuelle orientierung, gewerkschaft, confession, orientation sexuelle, parti, "
        "opinion politique, syndicat, orientacion sexual, partido, sindicato, religione, partito, "
        "orientamento sessuale, religie, geloof, partij, vakbond, tro, parti politik, fackforbund, "
        "fagforening, crime, offence, offense, conviction, criminal record, arrest, straftat, vorstrafe, "
        "delit, condamnation, delito, reato, strafblad, dom, brott",
    ),
    Concept(
        "an occupation",
        _SA,
        "occupation, job, job title, profession, beruf, taetigkeit, tatigkeit, metier, occupation code, "
        "occ, occ code, ocupacion, profesion, trabajo, professione, mestiere, occupazione, profissao, "
        "beroep, functie, erhverv, stilling, yrke",
        sure=False,
    ),
    Concept(
        "a judgement or outcome",
        _SA,
        "class, label, target, outcome, score, rating, grade, mark, marks, decision, verdict, status "
        "result, survived, survival, died, death, mortality, dropout, default, churn, note scolaire, "
        "notenschnitt, ergebnis, beurteilung, bewertung, resultat, resultado, risultato, esito, "
        "calificacion, voto, cijfer, uitslag, karakter, betyg, recommendation, approved, risk",
        sure=False,
        specific=False,
    ),
)


def words_of(name: str) -> list[str]:
    """The words of a column name: lower case, no accents, camelCase and digits split off.

    >>> words_of("Année de Naissance"), words_of("zipCode_2")
    (['annee', 'de', 'naissance'], ['zip', 'code', '2'])
    """
    spelled = name.replace("ß", "ss").replace("ø", "o").replace("Ø", "O").replace("æ", "ae").replace("Æ", "AE")
    plain = "".join(c for c in unicodedata.normalize("NFKD", spelled) if not unicodedata.combining(c))
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain).lower()
    return re.findall(r"[a-z]+|[0-9]+", split)


def _dictionary() -> dict[str, Concept]:
    """Phrases as one word; the first concept that has one keeps it."""
    phrases: dict[str, Concept] = {}
    for concept in CONCEPTS:
        for phrase in concept.words.split(","):
            phrases.setdefault("".join(phrase.split()), concept)
    return phrases


_PHRASES = _dictionary()
_SHORT = 2  # a word this short is only trusted as the whole name: "by" is a town, and a preposition


def concept_of(name: str) -> Concept | None:
    """What a name is about: specific before generic, a longer phrase before a shorter one.

    >>> concept_of("marital-status").meaning, concept_of("Disease name").meaning, concept_of("xyz")
    ('family', 'a disease or its treatment', None)
    """
    words = words_of(name)
    best: tuple[bool, int, int] | None = None
    found = None
    for first in range(len(words)):
        for last in range(first + 1, min(len(words), first + 4) + 1):
            phrase = "".join(words[first:last])
            concept = _PHRASES.get(phrase)
            if concept is None or (len(phrase) <= _SHORT and phrase != "id" and len(words) > 1):
                continue
            rank = (concept.specific, len(phrase), -first)
            if best is None or rank > best:
                best, found = rank, concept
    return found
