/** Reads commands: what a message asks to do, and with what. What is no command is a question, which never writes. */
import { TIME_LANGUAGES, type TimeLanguage } from '../../lib/civil/day'
import { isOnlyTime } from '../../lib/civil/words/date'
import { fold } from '../../search/fold'
import { type CommandKind, encode, type FrameMatch, MAX_ACTIONS, matchFrames, splitCards, writeHours } from './frames'
import { readLevel, tokenize } from './lexicon'
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
  /** Whether its verb may also change what is there. */
  readonly mayChange: boolean
}

/** Words of courtesy around a command, by language; those of a request make a question an order. */
const COURTESY =
  /^(?:(?:please|pls|plz|kindly|hey|ok|okay|so|and|now|then|well|yes|oh|satchel|bitte|ja|und|also(?=,)|dann|jetzt|stp|svp|s'il (?:te|vous) pla[iî]t|oui|et|alors|por favor|s[ií]|y|oye|entonces)(?![\p{L}'])[\s,:!]*|(?:no|nein|non)[,.!]\s*|[¿¡]\s*)/iu
const REQUEST =
  /^(?:(?:can|could|would|will) (?:you|u)(?: please)?|(?:i'd|i would) like you to|i (?:want|need) you to|would you mind|is it possible to|i was wondering if you could|you can|let's(?! do)|let me|(?:i need to|help me)(?= (?:add|set|put|include|create|make) )|(?:i'd like|i would like|i want) to|(?:ich (?:will|möchte)|lass uns)(?=.*\p{Ll}en$)|je (?:veux|voudrais)(?= \p{L}+(?:er|ir|re)(?!\p{L}))|(?:vamos a|quiero)(?= \p{L}+[aei]r)|(?:kannst|könntest|würdest|magst) du(?: mir)?(?: mal)?(?: bitte)?|(?:est-ce que )?tu (?:peux|pourrais)|peux-tu|pourrais-tu|(?:est-ce que )?vous (?:pouvez|pourriez)|pouvez-vous|pourriez-vous|¿?(?:me )?(?:puedes|podrías|puede)(?= [\p{L}]+[aei]r))(?=\s)[\s,]*/iu
const COURTESY_END =
  /[\s,]+(?:please|pls|thanks|thank you|now|bitte|danke|stp|svp|s'il (?:te|vous) pla[iî]t|merci|por favor|gracias)$/iu
/** The beginning of a question, a report, a refusal or a supposition: never a command. */
const NO_COMMAND =
  /^(?:who|what|when|where|why|how|which|whose|if|should|shall|do|does|did|is|are|was|were|has|have|had|can|could|may|might|would|will|(?:don't|do not)(?! (?:let me )?forget)|never(?! let me)|i wish|maybe|perhaps|suppose|in case|supposing|wer|was|wann|wo|warum|wie|welche|soll|muss|kann man|nie|que|qui|quand|comment|pourquoi|quel|ne (?!me laisse pas)|n'(?!oublie pas)|no (?!me dejes|olvides|te olvides|more|date|due|deadline)|nunca|quién|cuándo|cómo|por qué|cuál|debería|dear|liebe[rs]?|bonjour|hola)(?![\p{L}'])/iu
const NOTHING_MORE = /^(?:it|that|this|them|those|these|one|a|an|the|my|something|anything)?$/i

const ARTICLE =
  /^(?:(?:the|my|our|die|der|das|den|dem|meine[nr]?|unsere|l[ae]s?|ma|mes|mon|notre|el|los|mi|mis|nuestra|lo de) |[ld]')(?=\S)/i
const QUOTED = /^["“”„«]\s?([^"“”„«»]+?)\s?["”“»]$/u

/** Places of a list as words, in order; the last is the last one of the list. */
const PLACES = [
  'first|erste[ns]?|premi[èe]re?|primer[ao]',
  'second|zweite[ns]?|deuxième|segund[ao]',
  'third|dritte[ns]?|troisième|tercer[ao]',
  'fourth|vierte[ns]?|quatrième|cuart[ao]',
  'fifth|fünfte[ns]?|cinquième|quint[ao]',
  'last|letzte[ns]?|derni[èe]re?|últim[ao]',
].map(
  (names) =>
    new RegExp(
      `^(?:the |die |das |den |la |le |el |lo )?(?:${names})(?: (?:one|task|note|of them|aufgabe|notiz|tâche|tarea|nota))?$`,
      'iu',
    ),
)
const NUMBER = /^(?:the |die |le |el |la )?(?:number |nummer |numéro |número |n° ?|#)?(\d{1,2})$/iu

/** A place in a list; -1 for the last one; null for other words. */
export function readListPlace(words: string): number | null {
  const text = words.trim().replace(/[.!?]$/, '')
  const digits = NUMBER.exec(text)?.[1]
  // There is no number 0.
  if (digits !== undefined) return Number(digits) > 0 ? Number(digits) - 1 : Number.MAX_SAFE_INTEGER
  const place = PLACES.findIndex((pattern) => pattern.test(text))
  return place < 0 ? null : place === PLACES.length - 1 ? -1 : place
}

/** Reads the name of a thing. @param language that in which the message is read first */
export function readNamed(text: string, language: TimeLanguage = tellSpoken(text, 'en')): Named {
  const words = text.trim()
  const quoted = QUOTED.exec(words)?.[1]
  if (quoted !== undefined) return { words: quoted, quoted: true, type: null, points: false }
  for (const one of new Set([language, ...TIME_LANGUAGES])) {
    const { letters, tokens } = encode(words, one)
    const typeOf = (letter = '') => (letter === 'n' ? 'note' : letter === '' ? null : 'task')
    const [, pointed] = /^[&z]?(?:([tnr])|[iz]|z[w1])$/.exec(letters) ?? []
    if (pointed || /^[&z]?(?:[tnriz]|z[w1])$/.test(letters) || readListPlace(words) !== null)
      return { words, quoted: false, type: typeOf(pointed ?? /[tnr](?=.?$)/.exec(letters)?.[0]), points: true }
    const [before, noun] = /^[&N<]*([tnr])[=:<>]*[&i]*(?=.)/.exec(letters) ?? []
    const inside = before ? words.slice(tokens[before.length]?.start) : null
    const [behind] = (one === 'en' && /[tnr]$/.exec(letters)) || []
    const outer = behind ? words.slice(0, tokens.at(-2)?.end) : null
    if (inside === null && outer === null) continue
    const name = QUOTED.exec(inside ?? (outer as string))?.[1]
    const plain = (inside ?? (outer as string)).replace(ARTICLE, '')
    return { words: name ?? plain, quoted: name !== undefined, type: typeOf(noun ?? behind), points: false }
  }
  return { words: words.replace(ARTICLE, ''), quoted: false, type: null, points: false }
}

/** A list by its name: "shopping list", "packing list for the camp"; of tasks, it is the list of tasks. */
const TASK_LIST =
  /(?:to-?do|tasks?|chores?|reminders?|aufgaben-?|tareas?|tâches)[ -]?(?:lists?|liste)?$|^(?:list[ea]?|meine aufgaben)$/i
/** Reads the name of a list; `tasks` for the list of tasks. */
export function readList(name: string): string {
  const words = name.trim().replace(/[.!]$/, '').replace(ARTICLE, '')
  return TASK_LIST.test(words) ? 'tasks' : words
}

/** UTF-16 units of a message that is read as a command, but for the text that it holds. */
const MAX_HEAD_UNITS = 600

/** What a message leaves to be read when courtesy is taken away. */
export function stripCourtesy(message: string): { text: string; asks: boolean } {
  let text = message
    .trim()
    .replace(/[’‘]/g, "'")
    .replace(/[“”„]|«\s?|\s?»/g, '"')
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
  if (splitCards(text).length > 0 && /^q(?:uestion)?\s?:.*\sa(?:nswer)?\s?:/is.test(text))
    return makeCommand('card', 'en', { t: text })
  const spoken = tellSpoken(text, languages[0] ?? 'en')
  for (const language of new Set([spoken, ...languages, ...TIME_LANGUAGES])) {
    const command = readIn(text, language) ?? readBehindLead(text, language)
    if (command) return command
  }
  return null
}

function readIn(text: string, language: TimeLanguage): Command | null {
  // "Remind me to call Ann? Nah."
  const isAnswered = /\?\s+\p{L}/u.test(text.replace(/"[^"]*"/g, ''))
  for (const match of matchFrames(text, language)) {
    if (isAnswered && match.kind !== 'card') continue
    const command = toCommand(match)
    if (command && !isPronoun(command.text) && (command.kind !== 'list' || command.text !== '')) return command
  }
  return null
}
const isPronoun = (text: string): boolean => text !== '' && readNamed(text).points

/** What is said before a command that points at it: "I've signed the form, tick it off". */
const TOLD =
  /^(?:(?:i|we)(?:'ve| have|'m|'re| are| am| just| already| need to| have to| don't need| no longer need| do not need| need| finished| done| with| out of)+|ich (?:habe?|muss|brauche) |wir (?:haben|müssen|brauchen) |j'ai |je dois |je n'ai plus besoin de |il n'y a plus de |il (?:me |nous )?faut |on a besoin de |nous avons besoin de |(?:ya )?(?:he|hemos) |tengo que |ya no necesito |no queda |hacen? falta |necesit(?:o|amos) ) ?/i
const TOLD_END = / (?:any ?more|nicht mehr|is done|has no date)$/i

function readBehindLead(text: string, language: TimeLanguage): Command | null {
  const at = Math.max(text.lastIndexOf(', '), text.lastIndexOf('; '), text.lastIndexOf('. '))
  const lead = text.slice(0, at)
  if (at < 0 || /[?!]/.test(lead)) return null
  const tail = stripCourtesy(text.slice(at + 1)).text
  if (NO_COMMAND.test(tail)) return null
  const reported = lead.replace(TOLD, '').replace(TOLD_END, '')
  for (const match of matchFrames(tail, language)) {
    const command = toCommand(match)
    if (!command) continue
    // "That was wrong, undo it", "I want to learn, ask me something".
    if (command.kind === 'undo' || command.kind === 'quiz')
      return command.kind === 'quiz' || lead.split(' ').length <= 5 ? command : null
    // "Pay rent has no date any more, remove it."
    const first = command.kind === 'delete' && command.named?.points ? readIn(lead, language) : null
    if (first?.kind === 'undate') return first
    if (command.named?.points) return { ...command, named: readNamed(reported, language), isLoose: true }
    if (command.kind === 'list' && (command.text === '' || isPronoun(command.text)))
      return { ...command, text: reported }
  }
  return null
}

/** Makes a command of its slots, as if a message had said it; null if a slot is not what it should be. */
export const makeCommand = (kind: CommandKind, language: TimeLanguage, slots: FrameMatch['slots']): Command | null =>
  toCommand({ kind, language, slots, tells: false, off: false, isPlural: false, mayChange: false })

/** Whether a message orders something, be it known or not: its first word is a verb, and of nothing. */
export function isOrder(message: string): boolean {
  const { text, asks } = stripCourtesy(message)
  if (asks || NO_COMMAND.test(text)) return false
  return TIME_LANGUAGES.some((language) => {
    const { tokens, letters } = encode(text, language)
    return tokens.length > 1 && !letters.includes('<') && /[A-FJLMPRV-Z!]/.test(tokens[0]?.verbs ?? '')
  })
}

/** Fills in a command; null if a slot is not what it should be. */
function toCommand({ kind, language, slots, tells, off, isPlural, mayChange }: FrameMatch): Command | null {
  const { x, t = '', w = '', n = '', l = '', p, d, d2, j = '', f = '' } = slots
  const points = ['undate', 'restore'].includes(kind) && x === undefined
  const named = x === undefined ? (points ? readNamed('it') : null) : readNamed(x, language)
  const read = kind === 'remind' || kind === 'task' ? splitNew(kind, t, language) : { text: t, when: '', project: '' }
  const { letters, tokens } = encode(read.text, language)
  const text = read.text.slice(tokens[/^[=:,z]*/.exec(letters)?.[0].length ?? 0]?.start ?? read.text.length)
  const command: Command = {
    ...{
      kind,
      language,
      named,
      text: (kind === 'remind' || kind === 'task' ? text : t).trim(),
      when: w || read.when,
      name: unquote(n),
    },
    labels: l
      .split(/,| and | und | et | y /)
      .map((one) => one.trim().replace(/^["#“«]|["”»]$/g, ''))
      .filter((one) => one !== ''),
    ...{ priority: (p === undefined ? 0 : readLevel(p)) ?? 0, deck: cleanDeck(d || d2 || '') },
    ...{ project: unquote(j) || read.project, folder: unquote(f), off, isPlural, mayChange },
    isLoose: tells || (named !== null && !named.quoted && named.type === null && !named.points),
  }
  const ranks = p === undefined || readLevel(p) !== null
  return ranks && fits(command) ? command : null
}

const unquote = (text: string): string => QUOTED.exec(text.trim())?.[1] ?? text.trim()
const cleanDeck = (deck: string): string =>
  unquote(
    deck
      .replace(/^(?:the|my|some|das|den|dem|le|les|l'|el|mis?|deck|stapel|paquet|mazo)(?: deck| stapel)? ?/i, '')
      .replace(/ (?:deck|cards|stapel|karten|cartes|tarjetas)$/i, ''),
  )

/** Words before what to be reminded of, by language; the last ones may also be before a time. */
const CONNECTS: Readonly<Record<TimeLanguage, RegExp>> = {
  en: /^(?:to|about|of|that|that says|saying|called|:|,|for)$/i,
  de: /^(?:dass|daran|an|ans|namens|:|,|zu|für)$/i,
  fr: /^(?:de|d'|que|qu'|:|,|pour)$/i,
  es: /^(?:de|que|:|,|para)$/i,
}
const WEAK = /^(?:for|für|pour|para|de|zu)$/i

/** Divides the text of a new task: a time or a project may be before it. */
function splitNew(kind: 'remind' | 'task', given: string, language: TimeLanguage) {
  const text = given.replace(/^(?:mich|me|[-–]) /i, '')
  // "Remind me of the password" asks for it.
  if (kind === 'remind' && /^of /i.test(text)) return { text: '', when: '', project: '' }
  const tokens = tokenize(text, language)
  const plain = (from: number) =>
    text.slice(tokens[from]?.start ?? text.length).replace(/^(?:[,:] ?|(?:den|die|das|dem|the) (?=\S))/i, '')
  for (const [i, token] of tokens.entries()) {
    if (kind === 'task' && token.text !== ':' && i > 0) continue
    if (!CONNECTS[language].test(token.text) || (i === 0 && WEAK.test(token.text))) continue
    const when = text.slice(0, tokens[i - 1]?.end ?? 0).replace(/^(?:for|für|pour|para) /i, '')
    const [, project = null] =
      /^(?:in|im|to|zum|dans|en|under) (?:the |le |el )?(?:(?:project|projekt|projet|proyecto) )?(.+?)(?: project)?$/i.exec(
        when,
      ) ?? []
    const isTime = i === 0 || isOnlyTime(writeHours(when), language)
    if (!isTime && (project === null || kind === 'remind')) continue
    const rest = /^(?:daran|:)$/i.test(token.text) && tokens[i + 1]?.text === ',' ? i + 2 : i + 1
    const named =
      kind === 'remind' && /^ans?$/i.test(token.text) ? plain(rest) : text.slice(tokens[rest]?.start ?? text.length)
    return { text: named, when: isTime ? when : '', project: isTime ? '' : unquote(project ?? '') }
  }
  return { text: WEAK.test(tokens[0]?.text ?? '') ? text.slice(tokens[1]?.start ?? 0) : text, when: '', project: '' }
}

/** Whether the slots of a command are what it takes. */
function fits(command: Command): boolean {
  const { kind, named, text, when, name, language } = command
  if (named && !named.quoted && !named.points) {
    if (NOTHING_MORE.test(named.words)) return false
    // "Lösche die Notiz Skoda nicht", "ich würde alles löschen".
    if (
      /(?:^| )(?:nicht|not|pas)$|^(?:ich|du|er|wir|man|i|we|he|she|they|you|je|tu|il|elle|on|yo) |^(?:nicht|pas|keine?[nmr]?) /i.test(
        named.words,
      )
    )
      return false
  }
  if (/^keine?[nm]? /i.test(text)) return false
  if (kind === 'list') return name !== '' && !NO_COMMAND.test(text)
  if (kind === 'remind') return isThing(text) && !isOnlyTime(writeHours(text), language)
  if (kind === 'task') return text !== '' && !isOnlyTime(writeHours(text), language)
  if (kind === 'append') return named?.type !== 'task' && text !== ''
  if (kind === 'remember') return isThing(text)
  if (kind === 'move' && when !== '') return !command.isLoose || isOnlyTime(writeHours(when), language)
  if (kind === 'card') return splitCards(text).length > 0
  if (kind === 'label') return command.labels.length > 0
  return true
}

/** Whether a text says what to be reminded of, and does not ask: "what the password is". */
const isThing = (text: string): boolean =>
  text !== '' &&
  !/^(?:what|when|who|where|which|how|why|if|whether|was|wann|wer|wo|wie|que |qui|quand|où|comment|qué|quién|cuándo|dónde|cómo|the (?:name|number|address|password|code) of|le (?:nom|numéro)|l'adresse|el (?:nombre|número)|den namen)(?![\p{L}])/iu.test(
    text,
  ) &&
  !/^(?:something|anything|it|that|later)(?: later)?$/i.test(text)

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
