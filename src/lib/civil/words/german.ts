import { entriesOfKinds, tens, type WordEntry, type Words, type WordTable } from './lexicon'

const ONES = 'ein zwei drei vier fünf sechs sieben acht neun'
const WEEKDAYS = ['montag', 'dienstag', 'mittwoch', 'donnerstag', 'freitag', 'samstag', 'sonntag']
const PARTS = { früh: 540, morgen: 540, vormittag: 600, mittag: 720, nachmittag: 900, abend: 1140, nacht: 1260 }

/** `freitagabend` is one word. */
const COMPOUNDS = WEEKDAYS.flatMap((name, weekday) =>
  Object.entries(PARTS).map(([part, minutes]): WordEntry => ['weekday_part', weekday * 1440 + minutes, name + part]),
)

/** `erste` to `einunddreißigste`, each with its endings. */
const ORDINALS = [
  ...'erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft dreizehnt vierzehnt'.split(' '),
  ...'fünfzehnt sechzehnt siebzehnt achtzehnt neunzehnt zwanzigst'.split(' '),
  ...ONES.split(' ').map((one) => `${one}undzwanzigst`),
  ...['dreißigst', 'einunddreißigst'],
].map((stem, i): WordEntry => ['ordinal', i + 1, ['e', 'en', 'er', 'es', 'em'].map((end) => stem + end).join('|')])

const WORDS: Words = {
  weekday: '0=montag; dienstag; mittwoch; donnerstag; freitag; samstag|sonnabend; sonntag',
  shaky: '0=mo|mo.; di|di.|die.; mi|mi.; do|do.; fr|fr.; sa|sa.; so|so.',
  weekdays: '0=montags; dienstags; mittwochs; donnerstags; freitags; samstags|sonnabends; sonntags',
  month: `januar|jan|jan.|jänner|jaenner; februar|feb|feb.; märz|maerz|mär|mär.|mrz; april|apr|apr.; mai; juni|jun|
    jun.; juli|jul|jul.; august|aug|aug.; september|sept|sep|sept.|sep.; oktober|okt|okt.; november|nov|nov.; dezember|
    dez|dez.`,
  unit: `second=sekunde|sekunden; minute=minute|minuten|min|min.|m; hour=stunde|stunden|std|std.|h; day=tag|tage|tagen|
    tages|d; week=woche|wochen|w; month=monat|monate|monaten|monats; quarter=quartal|quartale|quartals|vierteljahr;
    year=jahr|jahre|jahren|jahres; workday=werktag|werktage|werktagen|werktages|arbeitstag|arbeitstage|arbeitstagen|
    wochentag|wochentage; weekend=wochenende|wochenend; weekends=wochenenden`,
  number: `0.5=einer halben|eine halbe|halbe|halben; 1=ein|eine|einem|einen|einer|eins; zwei; drei; vier; fünf|fuenf;
    sechs; sieben; acht; neun; zehn; elf; zwölf|zwoelf; dreizehn; vierzehn; fünfzehn; sechzehn; siebzehn; achtzehn;
    neunzehn; 1.5=anderthalb|eineinhalb; zweieinhalb; dreieinhalb`,
  moving: 'verschieben|verlegen|umbuchen|verschoben|verlegt',
  some: 'ein paar|paar|einigen|einige|mehreren|mehrere',
  sometime: 'irgendwann',
  per: 'pro|am|im|die|in der|jeden|jede|jedes',
  if: 'wenn|falls|ob|sofern; 0=wenn möglich|falls möglich|falls nötig|wenn nötig',
  long: 'lang',
  tail: 'spätestens|pünktlich|genau|ganztägig|den ganzen tag',
  time_tail: 'rum|herum',
  version: 'version|ausgabe|release|kapitel|seite|zimmer|folge',
  ordinal: '-3=drittletzter|drittletzten|drittletzte; vorletzter|vorletzten|vorletzte; letzter|letzten|letzte|letztes',
  suffix: 'te|ter|ten',
  day: '0=heute; morgen; übermorgen|uebermorgen; -1=gestern; -2=vorgestern',
  part: `540=früh|frueh|morgen|morgens; 600=vormittag|vormittags; 900=nachmittag|nachmittags; 1140=abend|abends;
    1260=nacht|nachts|spätabends|spät abends|spätabend; 360=frühmorgens`,
  part_adverb: `540=morgens; 600=vormittags; 720=mittags; 900=nachmittags; 1140=abends; 1260=nachts|spätabends;
    360=frühmorgens`,
  part_lead: '2=am; 1=in der',
  clock: '720=mittag|mittags; 0=mitternacht',
  oclock: 'uhr',
  to_hour: '-30=halb; -45=viertel; 15=viertel nach; -15=viertel vor|dreiviertel|drei viertel',
  minutes_to: 'nach|minuten nach; -1=vor|minuten vor',
  zone_tail: 'zeit|ortszeit',
  at: '2=um; 1=gegen|@|punkt|um punkt|schlag|um schlag',
  next: 'nächster|nächsten|nächste|nächstes|nächstem|naechster|naechsten|naechste|naechstes',
  after_next: 'übernächster|übernächsten|übernächste|übernächstes',
  coming: 'kommender|kommenden|kommende|kommendes',
  this: 'dieser|diesen|diese|dieses|diesem',
  past: 'letzter|letzten|letzte|letztes|vergangenen|vergangene|vorigen|vorige|voriger|vorherigen|vorherige|vergangener',
  article: 'der|die|das|den|dem|des',
  of: 'im|in|des|der|vom|von|in diesem',
  in: 'in|binnen|innerhalb|innerhalb von',
  from_now: 'ab heute|ab jetzt|von heute an',
  ago_lead: 'vor',
  by: 'am|an|zu|bis|zum|vor|für|bis zum|bis spätestens|spätestens|bis spätestens am|spätestens am|spätestens bis|den',
  on: 'am|an|zum|den',
  due: 'fällig|faellig',
  until: 'bis|bis zum|bis einschließlich|bis zu',
  starting: 'ab|beginnend|ab dem|beginnend am',
  from: 'von|vom',
  to: 'bis|bis zum|auf',
  and: 'und|und der|und den|und am',
  or: 'oder',
  between: 'zwischen',
  after: 'nach',
  before: 'vor|vorher|früher|eher|davor|zuvor|im voraus',
  for: 'für|fuer',
  every: 'einmal alle|jeden|jede|jeder|jedes|alle|jedem|an jedem|an allen',
  other: '2=zweiten|zweite|zweites|anderen|andere; dritten|dritte|drittes; vierten|vierte|viertes',
  adverb: `DAILY 1=täglich|taeglich|einmal täglich|einmal am tag; WEEKLY 1=wöchentlich|woechentlich|einmal pro woche|
    einmal die woche; WEEKLY 2=zweiwöchentlich|vierzehntäglich|vierzehntägig|zweiwöchig|14-täglich|14-tägig;
    MONTHLY 1=monatlich|einmal im monat|einmal pro monat; MONTHLY 3=vierteljährlich|quartalsweise;
    MONTHLY 6=halbjährlich; MONTHLY 2=zweimonatlich; YEARLY 2=zweijährlich; YEARLY 1=jährlich|jaehrlich|einmal im jahr;
    HOURLY 1=stündlich|stuendlich; WEEKDAYS 1=werktags|wochentags|an werktagen; WEEKENDS 1=am wochenende immer|
    an wochenenden`,
  after_completion: 'nach erledigung|nach abschluss|nach fertigstellung',
  often: 'zweimal|dreimal|viermal|fünfmal|sechsmal|zehnmal|mehrmals',
  same_time: 'gleiche zeit|gleichen zeit|selbe zeit|selben zeit|dieselbe zeit',
  not: 'nicht|nie',
  near: 'frühestens|folgenden|darauffolgenden|kurz vor|kurz nach|knapp vor|erst',
  loosely: 'früh|spät|in etwa|oder so|ungefähr|etwa|tagsüber|über nacht|ab und zu',
  around: 'zirka|so gegen|so um|gegen ca.|so etwa|so ungefähr|so circa|etwa|ca|ca.|circa|ungefähr',
  times: 'mal|x',
  remind_to: `erinnere mich daran|erinnere mich daran,|erinner mich daran,|erinnere mich an|erinner mich daran|
    erinner mich an`,
  remind_what: 'daran|daran,|an',
  remind: 'erinnern|erinnere|erinnere mich|erinnerung|mich erinnern',
  end: 'ende|am ende|letzter tag|letzten tag',
  middle: 'mitte',
  begin: 'anfang|am anfang|beginn|zu beginn|erster tag|ersten tag',
  end_unit: `day=ende des tages|tagesende; month=monatsende|monatsletzten; year=jahresende; week=ende der woche;
    quarter=quartalsende`,
  holiday: `1225=weihnachten; 1224=heiligabend|heilig abend; 1206=nikolaus; 1231=silvester; 101=neujahr; 1031=halloween`,
  name: `straße des|straße vom|platz des|schwarzer|schwarzen|black|blauer|blauen|cyber|super|herr|herrn|frau|tante|
    onkel|familie|dr|dr.`,
  with: 'mit',
  correction: 'nein|quatsch|doch lieber|lieber doch|beziehungsweise|bzw|besser',
  proper: 'guten morgen|guten abend|gute nacht|guten tag',
  not_due: 'seit|als|war|waren',
  except: 'außer|ausser|ausgenommen|aber nicht',
  no_day: 'der|die|das|ein|eine|mein|meine|unser|unsere|ich|wir|er|sie|es|und|mit|zu|nicht',
  vague: 'sommer|winter|frühling|herbst|ferien|monatsersten|mittagessen|abendessen|frühstück|feierabend',
  feast:
    'ostern|ostersonntag|ostermontag|pfingsten|pfingstsonntag|pfingstmontag|karfreitag|gründonnerstag|himmelfahrt|fronleichnam|muttertag|vatertag',
  quarter_number: 'q',
  week_number: 'kw|kalenderwoche',
  occasion: 'vollmond|neumond|geburtstag|feiertag',
}

export const GERMAN: WordTable = {
  capitals: true,
  capitalWeekdays: true,
  clock24: true,
  dateOrder: 'dmy',
  nextIsNextWeek: true,
  dotOrdinals: true,
  articleDays: false,
  entries: [
    ...entriesOfKinds(WORDS),
    ...COMPOUNDS,
    ...ORDINALS,
    ...tens('zwanzig dreißig vierzig fünfzig', ONES, (ten, one) => `${one}und${ten}`),
  ],
}
