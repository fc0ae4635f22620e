import { entriesOfKinds, ROMANCE, tens, type Words, type WordTable } from './lexicon'

const ONES = 'un deux trois quatre cinq six sept huit neuf'

const WORDS: Words = {
  weekday: '0=lundi; mardi; mercredi; jeudi; vendredi; samedi; dimanche',
  shaky: '0=lun|lun.; mar|mar.; mer|mer.; jeu|jeu.; ven|ven.; sam|sam.; dim|dim.',
  weekdays: '0=lundis; mardis; mercredis; jeudis; vendredis; samedis; dimanches',
  month: `janvier|janv|janv.|jan; février|févr|févr.|fév; mars; avril|avr|avr.; mai; juin; juillet|juil|juil.; août;
    septembre|sept|sept.; octobre|oct|oct.; novembre|nov|nov.; décembre|déc|déc.`,
  unit: `second=seconde|secondes; minute=minute|minutes|min|mn; hour=heure|heures|h; day=jour|jours|j; week=semaine|
    semaines|sem; fortnight=quinzaine|quinzaines|quinze jours; month=mois; quarter=trimestre|trimestres; year=an|ans|
    année|années; workday=jour ouvré|jours ouvrés|jour ouvrable|jours ouvrables|jour de semaine|jours de semaine;
    weekend=week-end|weekend; weekends=week-ends|weekends`,
  number: `0.5=une demi|une demie|une demi-|demi-|demi; 0.25=un quart d'; 0.75=trois quarts d'; 1=un|une; deux; trois;
    quatre; cinq; six; sept; huit; neuf; dix; onze; douze|une douzaine de; treize; quatorze; quinze|une quinzaine de;
    seize; dix-sept; dix-huit; dix-neuf`,
  some: 'quelques|plusieurs',
  per: 'par|chaque',
  if: "si|s'il|s'ils|s'elle; 0=si possible|si besoin|si nécessaire",
  tail: 'au plus tard|pile|précises|toute la journée',
  version: 'version|chapitre|page|salle|épisode',
  moving: 'déplacer|reporter|décaler|reporté|déplacé',
  ordinal: `premier|première|premiers|premières; deuxième|second|seconde; troisième; quatrième; cinquième; -1=dernier|
    dernière|derniers|dernières; -2=avant-dernier|avant-dernière`,
  suffix: 'er|ère|e|è|ème|eme|nd|nde',
  day: "0=aujourd'hui; demain; après-demain|après demain; -1=hier|la nuit dernière; -2=avant-hier|avant hier",
  part: `540=matin|matinée|matins|à la première heure|mat|mat.|début de matinée|milieu de matinée|début de journée;
    660=fin de matinée; 720=milieu de journée; 780=début d'après-midi; 1020=fin d'après-midi; 900=après-midi|
    après midi|milieu d'après-midi; 1140=soir|soirée|soirs|début de soirée; 1260=nuit|fin de soirée`,
  first_thing: 'à la première heure',
  today_part: '540=ce matin; 900=cet après-midi|cet après midi; 1140=ce soir; 1260=cette nuit',
  part_lead: "le|au|du|de l'|l'|dans la|dans l'|de la|la|en",
  clock: '720=midi; 0=minuit',
  oclock: 'heures|heure|h',
  past_hour: '30=et demie|et demi; 15=et quart; -15=moins le quart',
  minutes_lead: '-1=moins',
  zone_lead: "heure de|heure d'",
  at: 'à|@|dès|sur le coup de',
  next: 'prochain|prochaine|prochains|prochaines|suivant|suivante',
  coming: 'qui vient',
  this: 'ce|cet|cette',
  past: "dernier|dernière|derniers|dernières|passé|passée|précédent|précédente|d'après|d'avant",
  habit: 'le',
  article: "le|du|au; la|l'|les",
  of: "de|du|d'|de la|de l'|en",
  in: "dans|d'ici|sous",
  days_later: '7=en huit; 14=en quinze',
  from_now: "à partir d'aujourd'hui|plus tard",
  day_beside: "-1=la veille de|la veille du|la veille d'; 1=le lendemain de|le lendemain du|le lendemain d'",
  ago_lead: 'il y a',
  by: "le|pour|avant|pour le|avant le|d'ici|d'ici le|d'ici à|au plus tard|au plus tard le|avant la|pour la",
  on: 'le',
  due: 'échéance',
  until: "jusqu'au|jusqu'à|jusque|jusqu'en",
  starting: 'à partir du|à partir de|dès|à compter du|dès le|à partir',
  from: '2=du; 1=de|depuis',
  to: "au|à|jusqu'au|jusqu'à",
  and: 'et|et le',
  or: 'ou',
  between: 'entre',
  after: 'après',
  before: 'avant|plus tôt|en avance',
  for: 'pendant|pour|durant',
  every: 'chaque|tous les|toutes les|tout les|une fois tous les|une fois toutes les',
  other: '2=autre',
  out_of: 'sur',
  adverb: `DAILY 1=quotidiennement|une fois par jour; WEEKLY 1=hebdomadairement|une fois par semaine;
    MONTHLY 1=mensuellement|une fois par mois; MONTHLY 3=trimestriellement; MONTHLY 6=semestriellement;
    YEARLY 1=annuellement|une fois par an; WEEKENDS 1=les week-ends|les weekends|le week-end toujours;
    WEEKDAYS 1=en semaine`,
  frequency: `DAILY 1=quotidien|quotidienne; WEEKLY 1=hebdomadaire|hebdo; MONTHLY 1=mensuel|mensuelle;
    MONTHLY 2=bimestriel|bimestrielle; MONTHLY 3=trimestriel|trimestrielle; MONTHLY 6=semestriel|semestrielle;
    YEARLY 1=annuel|annuelle; SEVERAL=bimensuel|bimensuelle|bihebdomadaire`,
  after_completion: 'après achèvement|après réalisation|après complétion',
  often: 'deux fois|trois fois|plusieurs fois',
  same_time: 'même heure|à la même heure',
  not: 'pas|jamais',
  around: 'vers|environ|aux environs de|aux alentours de|autour de',
  near: 'juste avant|juste après|peu avant|peu après|au plus tôt|plutôt|seulement',
  loosely: 'tôt|tard|environ|à peu près|de temps en temps|dans la journée|de bonne heure',
  half: '0=am|a.m.; 12=pm|p.m.',
  times: 'fois|x',
  remind_to: "rappelle-moi de|rappelle-moi d'|rappelez-moi de|rappelez-moi d'|me rappeler de|me rappeler d'",
  remind_what: "de|d'|que",
  remind: 'rappel|rappeler|me rappeler|rappelle-moi|rappelez-moi',
  end_unit: 'day=fin de journée|en fin de journée|la fin de journée|la fin de la journée',
  end: 'fin|en fin|la fin|à la fin|dernier jour|le dernier jour',
  late: 'courant',
  middle: 'mi|mi-|milieu|le milieu|au milieu',
  begin: 'début|en début|le début|au début|premier jour|le premier jour',
  holiday: `1225=noël; 1224=la veille de noël|réveillon de noël; 1231=la saint-sylvestre|saint-sylvestre;
    101=le nouvel an|nouvel an|jour de l'an; 214=la saint-valentin|saint-valentin; 714=le 14 juillet`,
  name: 'saint|robinson|rue du|place du|avenue du|boulevard du|mme|m.|mlle|monsieur|madame|maître|dr',
  with: 'avec|chez',
  correction: 'non|plutôt|enfin non|je veux dire',
  proper: `bonne nuit|bonne journée|bonne soirée|vendredi noir|mercredi des cendres|mardi gras|vendredi saint|
    jeudi saint|lundi de pâques|lundi de pentecôte|dimanche de pâques`,
  not_due: 'depuis|que|était|étaient|fut',
  except: 'sauf|excepté|hormis|mais pas',
  no_day: 'la|le|un|une|mon|ma|mes|ton|ta|son|sa|notre|votre|leur|je|tu|il|elle|nous|vous|de|en|du|au|à',
  vague: "l'été|été|hiver|printemps|automne|vacances|déjeuner|dîner|petit-déjeuner",
  feast: "pâques|pentecôte|l'ascension|ascension|la toussaint|toussaint|fête des mères|fête des pères",
  quarter_number: 't',
  occasion: 'pleine lune|anniversaire',
}

export const FRENCH: WordTable = {
  ...ROMANCE,
  entries: [
    ...entriesOfKinds(WORDS),
    ...tens('vingt trente quarante cinquante', ONES, (ten, one) =>
      one === 'un' ? `${ten} et un|${ten}-et-un|${ten} et une` : `${ten}-${one}|${ten} ${one}`,
    ),
  ],
}
