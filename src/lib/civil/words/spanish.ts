import { entriesOfKinds, ROMANCE, tens, type Words, type WordTable } from './lexicon'

const ONES = 'uno dos tres cuatro cinco seis siete ocho nueve'

const WORDS: Words = {
  weekday: '0=lunes; martes; miércoles; jueves; viernes; sábado; domingo',
  shaky: '0=lun|lun.; mar|mar.; mié|mié.; jue|jue.; vie|vie.; sáb|sáb.; dom|dom.',
  weekdays: `0=los lunes; los martes; los miércoles; los jueves; los viernes; los sábados|sábados; los domingos|
    domingos`,
  month: `enero|ene; febrero|feb; marzo; abril|abr; mayo|may; junio|jun; julio|jul; agosto|ago; septiembre|setiembre|
    sept|sep; octubre|oct; noviembre|nov; diciembre|dic`,
  unit: `second=segundos; minute=minuto|minutos|min|mins; hour=hora|horas|h|hs; day=día|días|d; week=semana|semanas|
    sem; fortnight=quincena|quincenas|quince días; month=mes|meses; quarter=trimestre|trimestres; year=año|años;
    workday=día laborable|días laborables|día hábil|días hábiles|día laboral|días laborales; weekend=fin de semana|
    finde; weekends=fines de semana`,
  number: `0.25=un cuarto de; 0.5=media; 1=un|una|uno; dos|un par de; tres; cuatro; cinco; seis; siete; ocho; nueve;
    diez; once; doce; trece; catorce; quince; dieciséis; diecisiete; dieciocho; diecinueve; 21=veintiún; 0=cero`,
  some: 'unos|unas|varios|varias|algunos|algunas|pocos|pocas',
  per: 'por|a la|al|cada',
  if: 'si; 0=si es posible|si hace falta|si es necesario',
  tail: 'como muy tarde|a más tardar|mismo|todo el día',
  version: 'versión|capítulo|página|sala|episodio',
  moving: 'mover|cambiar|aplazar|posponer|trasladar',
  ordinal: `primer|primero|primera|primeros|primeras; segundo|segunda; tercer|tercero|tercera; cuarto|cuarta; quinto|
    quinta; -1=último|última|últimos|últimas; -2=penúltimo|penúltima`,
  suffix: 'º|ª|er|o|ro|do|to',
  day: '0=hoy; mañana; pasado mañana; -1=ayer|anoche; -2=anteayer|antes de ayer',
  part: `540=mañana|mañanas|a primera hora|a primera hora de la mañana|temprano; 900=tarde|tardes; 720=mediodía;
    1260=noche|noches; 60=madrugada`,
  today_part: '540=esta mañana; 900=esta tarde; 1260=esta noche',
  part_lead: '2=por la|en la; 1=de|del|de la|a la|al|a',
  clock: '720=mediodía|medio día; 0=medianoche|media noche',
  half: '0=am|a.m.|a. m.|a.m; 12=pm|p.m.|p. m.|p.m',
  oclock: 'horas|h|hs|en punto',
  minutes_lead: 'y; -1=menos',
  past_hour: '30=y media|y medio; 15=y cuarto; -15=menos cuarto',
  zone_lead: 'hora de',
  at: '2=a las; a la; 1=@|sobre las|antes de las|para las|a partir de las|desde las',
  next: 'próximo|próxima|próximos|próximas|que viene|siguiente|entrante',
  coming: 'este próximo',
  this: 'este|esta',
  past: 'último|última|últimos|últimas|pasado|pasada|anterior',
  article: 'el|el día; la|los|las',
  of: 'de|del|de la|en',
  in: 'en|dentro de|de aquí a',
  end_unit: 'day=final del día|al final del día|fin del día',
  day_beside: '-1=la víspera de|la víspera del',
  from_now: 'a partir de ahora|a partir de hoy|más tarde',
  ago_lead: 'hace',
  by: `el|el día|para el día|antes del día|para|antes del|antes de|para el|antes|para la|para las|antes de las|
    a más tardar|a más tardar el|como muy tarde el`,
  on: 'el|el día|los|los días',
  due: 'vence|vencimiento',
  until: 'hasta|hasta el|hasta la|hasta las',
  starting: 'a partir del|a partir de|empezando|empezando el|comenzando|desde el|a partir',
  from: '2=de; 1=del|desde|desde el|de las|desde las',
  to: 'al|a|hasta|hasta el|a las|hasta las',
  and: 'y|y el',
  or: 'o',
  between: 'entre|entre las',
  after: 'después|después de|después del|tras',
  before: 'antes|antes de|antes del|con antelación',
  for: 'durante|por',
  every: 'cada|todos los|todas las|una vez cada',
  other: '2=otro|otra',
  adverb: `DAILY 1=diariamente|a diario|una vez al día; WEEKLY 1=semanalmente|una vez a la semana|una vez por semana;
    WEEKLY 2=quincenalmente|una semana sí y otra no; MONTHLY 1=mensualmente|una vez al mes; MONTHLY 2=bimestralmente;
    MONTHLY 3=trimestralmente; MONTHLY 6=semestralmente; YEARLY 1=anualmente|una vez al año;
    DAILY 2=un día sí y otro no|un día sí, otro no; WEEKDAYS 1=entre semana|los días laborables|en días laborables;
    WEEKENDS 1=los fines de semana`,
  alternate: 'alternos|alternas',
  yes_no: '2=sí y otro no|sí y otra no|sí, otro no|sí, otra no',
  frequency: `DAILY 1=diario|diaria; WEEKLY 1=semanal; WEEKLY 2=quincenal; MONTHLY 1=mensual; MONTHLY 2=bimestral;
    MONTHLY 3=trimestral; MONTHLY 6=semestral; YEARLY 1=anual; SEVERAL=bimensual|bisemanal`,
  after_completion: 'después de completar|tras completar|después de terminar|tras terminar',
  often: 'dos veces|tres veces|cuatro veces|varias veces',
  same_time: 'misma hora|a la misma hora',
  not: 'no|nunca',
  near: `por las mañanas|por las tardes|por las noches|justo antes|justo después|poco antes|poco después|como pronto|mejor`,
  loosely: 'pronto|temprano|aproximadamente|más o menos|de vez en cuando',
  around: 'alrededor de las|alrededor de la|aproximadamente|hacia las|hacia la|a eso de las|a eso de la',
  times: 'veces|x',
  remind_to: 'recuérdame que|recuérdame|recordarme|avísame para',
  remind: 'recordar|recuérdame|recordatorio|recordarme|avisar|avísame',
  end: 'fin|final|a final|al final|finales|el fin|a finales|a fin|a fines|fines|último día|el último día',
  middle: 'mediados|a mediados|mitad|a mitad',
  begin: 'principios|a principios|inicio|a inicios|comienzo|primer día|el primer día',
  holiday: `1225=navidad|la navidad|el día de navidad|día de navidad; 1224=nochebuena; 1231=nochevieja|fin de año;
    101=año nuevo; 106=reyes; 214=san valentín`,
  name: 'santo|santa|calle|avenida|plaza|plaza del|sra|sra.|sr|sr.|señora|señor|don|doña|dr.|dra.',
  with: 'con',
  correction: 'digo|mejor|mejor dicho|perdón|no espera',
  proper: `media mañana|media tarde|buenos días|buenas tardes|buenas noches|viernes negro|miércoles de ceniza|
    sábado santo|viernes santo|jueves santo|domingo de ramos|domingo de pascua|lunes de pascua|martes de carnaval`,
  not_due: 'desde|que|fue|era|fueron',
  except: 'excepto|salvo|menos|pero no',
  no_day: 'el|la|un|una|mi|mis|tu|su|nuestro|yo|nosotros|de|en|del|al',
  vague: 'verano|invierno|primavera|otoño|vacaciones|comer|cenar|desayunar|cena|almuerzo|desayuno',
  feast: 'pascua|semana santa|carnaval|día de la madre|día del padre',
  quarter_number: 't',
  occasion: 'luna llena|cumpleaños',
}

export const SPANISH: WordTable = {
  ...ROMANCE,
  entries: [
    ...entriesOfKinds(WORDS),
    ...tens('veinte treinta cuarenta cincuenta', ONES, (ten, one) =>
      ten === 'veinte' ? `veinti${one}` : `${ten} y ${one}`,
    ),
  ],
}
