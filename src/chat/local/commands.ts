/** Reads commands: what a message asks to do, and with what. What is no command is a question, which never writes. */
import { TIME_LANGUAGES, type TimeLanguage } from '../../lib/civil/languages'
import { isOnlyTime } from '../../lib/civil/words/date'
import { fold } from '../../search/fold'
import { type CommandKind, sentencesIn } from './verbs'
import { tellSpoken } from './words'

/** A thing as a message names it. */
export interface Named {
  readonly words: string
  /** Whether it was in quotation marks: then the words are the exact title. */
  readonly quoted: boolean
  /** What the message says that it is; null if it does not. */
  readonly type: 'note' | 'task' | null
  /** Whether it is only pointed at: "it", "the second one". */
  readonly points: boolean
}

export interface Command {
  readonly kind: CommandKind
  readonly language: TimeLanguage
  readonly named: Named | null
  readonly text: string
  /** A time in words. */
  readonly when: string
  /** A new title, or the title of a new note, or a list. */
  readonly name: string
  readonly labels: readonly string[]
  readonly priority: number
  readonly deck: string
  readonly project: string
  readonly folder: string
  /** Whether it takes away what the kind adds: a label, "done". */
  readonly off: boolean
  /** Whether it speaks of several new things. */
  readonly isPlural: boolean
  /** Whether the message only tells something, or does not say that its thing is one: it is no command without that thing. */
  readonly isLoose: boolean
}

/** Words of courtesy around a command, by language; those of a request make a question an order. */
const COURTESY =
  /^(?:(?:please|pls|plz|kindly|hey|ok|okay|so|and|now|then|well|yes|oh|satchel|bitte|ja|und|also|dann|jetzt|stp|svp|s'il (?:te|vous) pla[iî]t|oui|et|alors|por favor|s[ií]|y|oye|entonces)(?![\p{L}'])[\s,:!]*|(?:no|nein|non)[,.!]\s*|[¿¡]\s*)/iu
const REQUEST =
  /^(?:(?:can|could|would|will) (?:you|u)(?: please)?|(?:i'd|i would) like you to|i (?:want|need) you to|would you mind|is it possible to|i was wondering if you could|you can|(?:kannst|könntest|würdest|magst) du(?: mir)?(?: mal)?(?: bitte)?|(?:est-ce que )?tu (?:peux|pourrais)|peux-tu|pourrais-tu|(?:est-ce que )?vous (?:pouvez|pourriez)|pouvez-vous|pourriez-vous|¿?(?:me )?(?:puedes|podrías|puede)(?= [\p{L}]+[aei]r))(?=\s)[\s,]*/iu
const COURTESY_END =
  /[\s,]+(?:please|pls|thanks|thank you|now|bitte|danke|stp|svp|s'il (?:te|vous) pla[iî]t|merci|por favor|gracias)$/iu
/** The beginning of a question, a report, a refusal or a supposition: never a command. */
const NO_COMMAND =
  /^(?:who|what|when|where|why|how|which|whose|if|should|shall|do|does|did|is|are|was|were|has|have|had|can|could|may|might|would|will|don't|do not|never(?! let me)|i wish|maybe|perhaps|suppose|in case|supposing|wer|was|wann|wo|warum|wie|welche|soll|muss|kann man|nie|que|qui|quand|comment|pourquoi|quel|ne (?!me laisse pas)|n'(?!oublie pas)|no (?!me dejes|olvides|more|date|due|deadline)|nunca|quién|cuándo|cómo|por qué|cuál|debería|dear|liebe[rs]?|bonjour|hola)(?![\p{L}'])/iu
const NOTHING_MORE = /^(?:it|that|this|them|those|these|one|a|an|the|my|something|anything)?$/i

const QUOTED = /^["“”„«]\s?([^"“”„«»]+?)\s?["”“»]$/u
/** Words that point at what was mentioned. */
const POINTS =
  /^(?:it|that|this|them|those|that one|this one|(?:the|that|this|die|das|der|den|la|le|el|esa|ese|cette|ce) (?:note|task|reminder|card|notiz|aufgabe|tâche|tarea|nota)|das|es|sie|ihn|dies|die(?: da)?|ça|cela|l[aeo]s?|eso|esto|the (?:first|second|third|fourth|fifth|last) (?:one|task|note|of them)|(?:die|das|den) (?:erste|zweite|dritte|vierte|letzte)n?|l[ae] (?:premi[èe]re?|deuxième|troisième|derni[èe]re?)|l[ao] (?:primer[ao]|segund[ao]|tercer[ao]|últim[ao])|(?:the )?(?:number|nummer|numéro|número) \d+)$/iu
/** What is around the name of a thing and says what it is. */
const NOUNS: readonly (readonly ['note' | 'task', RegExp, RegExp | null])[] = [
  [
    'task',
    /^(?:(?:the|my|that|this|our) )?(?:task|reminder|to-?do)s?(?: item)?(?: (?:called|named|titled|about|to|for|of))?[: ]+/i,
    /[: ]+(?:task|reminder|to-?do)$/i,
  ],
  ['note', /^(?:(?:the|my|that|this|our) )?notes?(?: (?:called|named|titled|about|on|for))?[: ]+/i, /[: ]+note$/i],
  ['task', /^(?:(?:die|der|meine|meiner) )?(?:aufgabe|erinnerung)(?: (?:namens|über|an|zu))?[: ]+/i, null],
  ['note', /^(?:(?:die|der|meine|meiner|zur) )?notiz(?: (?:namens|über|zu))?[: ]+/i, null],
  ['task', /^(?:(?:la|ma|cette|à la) )?(?:tâche|rappel)(?: (?:d[eu]s?|pour|sur|intitulée))?[: ]+/i, null],
  ['note', /^(?:(?:la|ma|cette|à la) )?note(?: (?:sur|intitulée))?[: ]+/i, null],
  ['task', /^(?:(?:la|mi|esa|a la) )?(?:tarea|recordatorio)(?: (?:de(?: las?|l)?|sobre|para))?[: ]+/i, null],
  ['note', /^(?:(?:la|mi|esa|a la) )?nota(?: (?:de|sobre|llamada))?[: ]+/i, null],
]
const ARTICLE =
  /^(?:(?:the|my|our|die|der|das|den|dem|meine[nr]?|l[ae]s?|ma|mes|mon|el|los|mi|mis|lo de) |[ld]')(?=\S)/i

/** Reads the name of a thing. */
export function readNamed(text: string): Named {
  const words = text.trim()
  const quoted = QUOTED.exec(words)?.[1]
  if (quoted !== undefined) return { words: quoted, quoted: true, type: null, points: false }
  const points = POINTS.test(words)
  if (points) return { words, quoted: false, type: typeSaid(words), points }
  for (const [type, before, after] of NOUNS)
    for (const pattern of [before, after])
      if (pattern?.test(words)) {
        const { words: inner, quoted } = readNamed(words.replace(pattern, ''))
        return { words: inner.replace(/^(?:the|my) /i, ''), quoted, type, points: false }
      }
  return { words: words.replace(ARTICLE, ''), quoted: false, type: null, points }
}

const typeSaid = (words: string): Named['type'] =>
  /note|notiz|nota\b/i.test(words) ? 'note' : /task|reminder|aufgabe|tâche|tarea/i.test(words) ? 'task' : null

/** The words of the levels of a priority; without a level, "priority" takes it away. */
const LEVELS: readonly (readonly [number, RegExp])[] = [
  [
    0,
    /^(?:priority|priorität|priorité|prioridad|(?:no|without|keine|ohne|sin|sans|aucune) (?:priority|priorität|priorité|prioridad)|(?:priority|priorität|priorité|prioridad|p) ?0)$/i,
  ],
  [
    1,
    /^(?:p ?1|1|(?:the )?(?:highest|top)(?:[ -]priority)?|(?:most )?urgent|priority 1|(?:die )?höchste priorität|dringend(?:, höchste priorität)?|priorität 1|priorité 1|(?:la )?(?:priorité )?(?:la )?plus haute|urgente?s?|prioridad 1|(?:la )?prioridad más alta|maximum priority)$/i,
  ],
  [
    2,
    /^(?:p ?2|2|high(?:[ -]priority)?|priority 2|hoch|hohe priorität|priorität 2|priorité 2|(?:priorité )?haute|prioridad 2|prioridad alta|alta|important|wichtig)$/i,
  ],
  [
    3,
    /^(?:p ?3|3|medium(?:[ -]priority)?|normal(?:[ -]priority)?|priority 3|mittel|mittlere priorität|priorität 3|priorité 3|moyenne|prioridad 3|media)$/i,
  ],
  [
    4,
    /^(?:p ?4|4|low(?:est)?(?:[ -]priority)?|priority 4|niedrig|(?:die )?niedrigste priorität|priorität 4|priorité 4|(?:la )?(?:priorité )?(?:la )?plus basse|prioridad 4|(?:la )?prioridad más baja|baja|basse)$/i,
  ],
]
const readPriority = (words: string): number | null =>
  LEVELS.find(([, pattern]) => pattern.test(words.trim()))?.[0] ?? null

/** A list by its name: "shopping list", "packing list for the camp"; of tasks, it is the list of tasks. */
const LIST_NAME =
  /^(?:the |my |our |die |der |meine |unsere |la |ma |mi |notre |nuestra )?(?:(?:\p{L}+[ -]){0,3}list|\p{L}*liste|liste d[e']\p{L}* ?.*|lista de \p{L}+.*)(?: (?:for|of|für|pour|para) .+)?$/iu
const TASK_LIST =
  /(?:to-?do|tasks?|chores?|reminders?)[ -]?lists?$|list of (?:tasks|chores|things to do)|^(?:the |my )?list$|^(?:meine |die )?(?:aufgaben-?|to-?do-?)?liste$|^(?:ma |la )?liste(?: de tâches)?$|^(?:mi |la )?lista(?: de tareas)?$/i
/** Reads the name of a list; `tasks` for the list of tasks, null if it is none. */
function readList(name: string): string | null {
  const words = name.trim().replace(/[.!]$/, '')
  if (TASK_LIST.test(words)) return 'tasks'
  return LIST_NAME.test(words)
    ? words.replace(/^(?:the|my|our|die|der|meine|unsere|la|ma|mi|notre|nuestra) /i, '')
    : null
}

/** UTF-16 units of a message that is read as a command, but for the text that it holds. */
const MAX_HEAD_UNITS = 600

/** What a message leaves to be read when courtesy is taken away. */
function stripCourtesy(message: string): { text: string; asks: boolean } {
  let text = message
    .trim()
    .replace(/[’‘]/g, "'")
    .replace(/[ \t]+/g, ' ')
  const isQuestion = /[?？]\s*$/.test(text)
  text = text.replace(/[\s.!?¡¿…]+$/, '')
  let isRequest = false
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(COURTESY, '').replace(COURTESY_END, '')
    const order = text.replace(REQUEST, '')
    isRequest ||= order !== text
    text = order
  }
  return { text, asks: isQuestion && !isRequest }
}

/** Reads one command; null for any other message. Never throws. */
export function readCommand(message: string, languages: readonly TimeLanguage[] = TIME_LANGUAGES): Command | null {
  const { text, asks } = stripCourtesy(message)
  if (asks || text === '' || text.length > MAX_HEAD_UNITS || NO_COMMAND.test(text)) return null
  const spoken = tellSpoken(text, languages[0] ?? 'en')
  for (const language of new Set([spoken, ...languages, ...TIME_LANGUAGES])) {
    const command = readIn(text, language) ?? readBehindLead(text, language)
    if (command) return command
  }
  return null
}

function readIn(text: string, language: TimeLanguage): Command | null {
  for (const { kind, pattern, tells } of sentencesIn(language)) {
    const slots = pattern.exec(text)?.groups ?? (pattern.test(text) ? {} : null)
    // "Remind me to call Ann? Nah."
    if (kind !== 'card' && /\?\s+\p{L}/u.test(text.replace(/"[^"]*"/g, ''))) continue
    const command = slots && toCommand(kind, slots, language, tells)
    if (command) return command
  }
  return null
}

/** What is said before a command that points at it: "I've signed the form, tick it off". */
const TOLD =
  /^(?:(?:i|we)(?:'ve| have|'m| am| just| already| need to| have to| don't need| no longer need| do not need| finished| done| with)+|ich (?:habe?|muss|brauche) |wir (?:haben|müssen|brauchen) |j'ai |je dois |je n'ai plus besoin de |(?:ya )?(?:he|hemos) |tengo que |ya no necesito ) ?/i
const TOLD_END = / (?:any ?more|nicht mehr|is done|has no date)$/i

function readBehindLead(text: string, language: TimeLanguage): Command | null {
  const at = Math.max(text.lastIndexOf(', '), text.lastIndexOf('; '), text.lastIndexOf('. '))
  const lead = text.slice(0, at)
  if (at < 0 || /[?!]/.test(lead)) return null
  const tail = stripCourtesy(text.slice(at + 1)).text
  const command = readIn(tail, language)
  if (!command?.named?.points || NO_COMMAND.test(tail)) return null
  return { ...command, named: readNamed(lead.replace(TOLD, '').replace(TOLD_END, '')), isLoose: true }
}

type Slots = Readonly<Record<string, string | undefined>>

/** Fills in a command; null if a slot is not what it should be. */
function toCommand(kind: CommandKind, slots: Slots, language: TimeLanguage, tells: boolean): Command | null {
  const { x, t = '', w = '', n, n2, l = '', p, d = '', j = '', folder, folder2, off } = slots
  const named = x === undefined ? null : readNamed(x === '' ? 'it' : x)
  const priority = p === undefined ? null : readPriority(p)
  const name = (QUOTED.exec((n ?? n2 ?? '').trim())?.[1] ?? n ?? n2 ?? '').trim()
  const command: Command = {
    ...{ kind, language, named, text: t.trim(), when: w.trim(), name },
    labels: l
      .split(/,| and | und | et | y /)
      .map((one) => one.trim().replace(/^["#“«]|["”»]$/g, ''))
      .filter((one) => one !== ''),
    ...{ priority: priority ?? 0, deck: cleanDeck(d), project: unquote(j), folder: unquote(folder ?? folder2 ?? '') },
    ...{ off: off !== undefined, isPlural: slots.many !== undefined },
    isLoose: tells || (named !== null && !named.quoted && named.type === null && !named.points),
  }
  return fits(command, slots, priority) ? command : null
}

const unquote = (text: string): string => QUOTED.exec(text.trim())?.[1] ?? text.trim()
const cleanDeck = (deck: string): string =>
  unquote(
    deck
      .replace(/^(?:the|my|some|das|den|le|les|el|mis?|deck|stapel|paquet|mazo)(?: deck| stapel)? /i, '')
      .replace(/ (?:deck|cards|stapel|karten|cartes|tarjetas)$/i, ''),
  )

/** Whether the slots of a command are what it takes. */
function fits(command: Command, slots: Slots, priority: number | null): boolean {
  const { kind, named, text, when, name, language } = command
  if (named && !named.quoted && !named.points && NOTHING_MORE.test(named.words)) return false
  // "Lösche die Notiz Skoda nicht", "ich würde alles löschen".
  if (
    named &&
    !named.quoted &&
    /(?: nicht| not| pas)$|^(?:ich|du|er|wir|man|i|we|he|she|they|you|je|tu|il|elle|on|yo) /i.test(named.words)
  )
    return false
  if (/^keine?[nm]? /i.test(text) || (named && /^keine?[nm]? /i.test(named.words))) return false
  if (slots.p !== undefined && priority === null) return false
  if (kind === 'list') return readList(name) !== null && text !== ''
  if (kind === 'remind')
    return (
      isThing(text) &&
      !isOnlyTime(writeHours(text), language) &&
      (slots.w === undefined || isOnlyTime(writeHours(when), language))
    )
  if (kind === 'task') return text !== '' && (slots.w === undefined || isOnlyTime(writeHours(when), language))
  if (kind === 'append') return named !== null && (named.type === 'note' || named.quoted || named.points || text !== '')
  if (kind === 'move' && slots.w !== undefined) return !command.isLoose || isOnlyTime(writeHours(when), language)
  if (kind === 'card') return splitCards(text).length > 0
  if (kind === 'label') return command.labels.length > 0
  return true
}

const HOURS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const SPOKEN_HOUR = new RegExp(
  `"[^"]*"|(?<!\\S)at (?<hour>\\d{1,2}|${HOURS.join('|')})(?: o['’]?clock)?(?=[,.;!?]?(?:$|\\s+(?:on|to|today|tomorrow|tonight|next|this|every|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?!\\S)|[,;]))`,
  'giu',
)

/** Writes a bare hour as a time for quick add: from seven in the morning to six in the evening; "at 16" as it is. */
export function writeHours(text: string): string {
  return text.replace(SPOKEN_HOUR, (whole, hour: string | undefined) => {
    if (hour === undefined) return whole
    const said = /\d/.test(hour) ? Number(hour) : HOURS.indexOf(hour.toLowerCase()) + 1
    return said > 23 ? whole : `at ${String(said > 0 && said < 7 ? said + 12 : said).padStart(2, '0')}:00`
  })
}

/** Whether a text says what to be reminded of, and does not ask: "what the password is". */
const isThing = (text: string): boolean =>
  text !== '' &&
  !/^(?:what|when|who|where|which|how|why|if|whether|was|wann|wer|wo|wie|que |qui|quand|où|comment|qué|quién|cuándo|dónde|cómo|the (?:name|number|address|password|code) of|le (?:nom|numéro)|l'adresse|el (?:nombre|número)|den namen)(?![\p{L}])/iu.test(
    text,
  ) &&
  !/^(?:something|anything|it|that|later)(?: later)?$/i.test(text)

/** The two sides of a card. */
export interface CardSides {
  readonly front: string
  readonly back: string
}

const SIDES = [
  /^(?:[qfp]\s*:|(?:question|front|frage|vorderseite|recto|pregunta)\s*:?) ?["“«]?(.+?)["”»]?[,;]?\s+(?:and |und |et |y )?(?:the |la |el |die )?(?:[ar]\s*:|(?:answer|back|antwort|rückseite|verso|réponse|respuesta)\s*:?) ?["“«]?(.+?)["”»]?$/isu,
  /^["“«](.+?)["”»] ?(?:-|–|=|->|→|\/|:|,|with the (?:answer|back)) ?["“«](.+?)["”»]$/su,
  /^(.+?) ?(?: = | -> | → | :: |::| \/ | – | - |=) ?(.+)$/su,
  /^(.+?\?) (.+)$/su,
  /^([^:]+): (.+)$/su,
]

/** Reads cards from a text, one or several apart by lines or semicolons; none if a part is no card. */
export function splitCards(text: string): CardSides[] {
  const qa = text.split(/(?:^|\n|\s)(?=(?:q|question|frage|pregunta)\s*: )/iu).filter((one) => one.trim() !== '')
  const parts = qa.length > 1 ? qa : /^(?:q|question|frage|pregunta)\s*:/iu.test(text) ? [text] : text.split(/[\n;]/)
  const cards = parts
    .filter((one) => one.trim() !== '')
    .map((part) => {
      const plain = part
        .trim()
        .replace(/^(?:[-*•]|\d+[.)]) /, '')
        .replace(/[?]$/, '')
      const sides = SIDES.map((pattern) => pattern.exec(plain)).find((one) => one !== null)
      return { front: (sides?.[1] ?? '').trim(), back: (sides?.[2] ?? '').trim() }
    })
  return cards.every(({ front, back }) => front !== '' && back !== '') ? cards : []
}

/** Returns the list that a command adds to: `tasks`, or its name. */
export const listOf = (command: Command): string => readList(command.name) ?? ''

/** Actions of a message, at most. */
export const MAX_ACTIONS = 20
/** Splits items that commas, lines and "and" divide, outside of quotation marks and brackets. */
export function splitItems(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim().replace(/^(?:[-*•]|\d+[.)])\s+(?:\[[ x]\]\s+)?/i, ''))
  const some = lines.filter((line) => line !== '')
  if (some.length > 1) return some
  const parts = (some[0] ?? '').match(/(?:"[^"]*"|\([^)]*\)|[^,;"(])+/g) ?? []
  const items = parts.flatMap((part, i) => (i === parts.length - 1 ? part.split(/ (?:and|und|et|y) /) : [part]))
  return items
    .map((item) =>
      item
        .trim()
        .replace(/^(?:and|und|et|y) /, '')
        .replace(/^"([^"]*)"$/, '$1'),
    )
    .filter((item) => item !== '')
}

/** What a message asks to do, with the parts that were not read. */
export interface Commands {
  readonly commands: readonly Command[]
  readonly unread: readonly string[]
  readonly repeats: number
  readonly takenBack: boolean
}

const TAKES_BACK =
  /^(?:(?:oh|no|ah|actually|wait|nein|non),? )*(?:no|never ?mind|forget (?:it|that)|don't(?: do (?:that|it))?|no,? wait.*|scratch that|cancel that(?: please)?|actually,? (?:don't do that|no)|vergiss es|laisse tomber|olvídalo)[\s.!]*$/i
/** Where one line is cut into commands, each of which names what it makes or changes. */
const JOINT =
  /(?:;|[,.]?(?: and| und| et| y)?(?: then| also| dann| puis| luego)?) (?=(?:please )?(?:remind me (?:to|about)|(?:add|create|make|new) (?:a |the |another )?(?:new )?(?:task|note|reminder)|(?:check|tick|cross) off|(?:complete|delete|trash|reopen|add .+ to my|erinnere mich|füge die aufgabe|rappelle-moi|ajoute la tâche|recuérdame|añade la tarea|(?:hake?|erledige) die aufgabe)))/gi

/** Reads all commands of a message: one, one a line, or several that "and" joins. */
export function readCommands(message: string, languages?: readonly TimeLanguage[]): Commands {
  const none = { commands: [], unread: [], repeats: 0, takenBack: false }
  const lines = message.split(/\r\n|[\r\n]/).filter((line) => line.trim() !== '')
  const read = (line: string) => readLine(line.trim().replace(/^(?:[-*•]|\d+[.)])\s+/, ''), languages)
  if (lines.length <= 1) return { ...none, commands: read(message) }
  const first = read(lines[0] as string)
  if (first.length === 0) return { ...none, commands: readWithItems(message, languages) }
  const others = lines.slice(1)
  if (others.some((line) => TAKES_BACK.test(line.trim()))) return { ...none, takenBack: true }
  const [one] = first
  const isOpen = first.length === 1 && one !== undefined && ['note', 'remember', 'append'].includes(one.kind)
  const all = others.map(read)
  // The lines below a note are its text, unless it has one and each of them is a command.
  if (isOpen && (one.text === '' || !all.every((found) => found.length > 0))) {
    const body = message.slice(message.indexOf('\n') + 1).trim()
    return { ...none, commands: [{ ...one, text: [one.text, body].filter((part) => part !== '').join('\n') }] }
  }
  if (/:$/.test((lines[0] as string).trim()) && all.every((found) => found.length === 0))
    return { ...none, commands: readWithItems(message, languages) }
  const flat = [...first, ...all.flat()]
  const kept = new Map(flat.map((command) => [JSON.stringify(command), command]))
  const unread = others.filter((_, i) => all[i]?.length === 0)
  return { commands: [...kept.values()], unread, repeats: flat.length - kept.size, takenBack: false }
}

/** Reads a heading with items below: "shopping list:", "add tasks:", "flashcards:". */
function readWithItems(message: string, languages?: readonly TimeLanguage[]): Command[] {
  const at = message.indexOf('\n')
  const head = message.slice(0, at).trim().replace(/:$/, '')
  const items = message.slice(at + 1)
  if (!/^\s*(?:[-*•]|\d+[.)])\s/.test(items) && !/card|karte|carte|tarjeta|^q:/i.test(head)) return []
  const command = readCommand(`${head}: ${items}`, languages) ?? readCommand(message, languages)
  return command && ['list', 'task', 'card', 'remind'].includes(command.kind)
    ? [{ ...command, text: items.trim() }]
    : []
}

function readLine(line: string, languages?: readonly TimeLanguage[]): Command[] {
  const pieces = line.includes('"') ? [line] : line.split(JOINT).filter((piece) => piece.trim() !== '')
  if (pieces.length > 1) {
    const all = pieces.map((piece) => readCommand(piece, languages))
    if (all.every((one) => one !== null && (!one.isLoose || one.kind === 'complete')))
      return all.filter((one) => one !== null).slice(0, MAX_ACTIONS)
  }
  const one = readCommand(line, languages)
  return one ? [one] : []
}

/** Whether a command changes something by itself: the rest shows, asks first, or needs a thing that it names loosely. */
export const isSureWrite = ({ kind, isLoose, named }: Command): boolean =>
  !isLoose && !named?.points && kind !== 'quiz' && kind !== 'draft'

/** Whether two titles are the same but for case and accents. */
export const isSameTitle = (a: string, b: string): boolean => fold(a).trim() === fold(b).trim()
