import type { WordClass } from './english'
import {
  type AskedDate,
  type GrammarMessage,
  type ReadIntent,
  type TaskSlots,
  type TaskSpan,
  unquoteName,
} from './intent'
import { narrow, Sentence } from './shapes'
import { classesIn, DAY_SIDES, LANGUAGES, PRIORITY_TERMS, STATE_TERMS } from './words'

const keysOf = <Key extends string>(terms: Readonly<Record<Key, string>>) => Object.keys(terms) as Key[]
const [DAY_CLASSES, PRIORITIES, STATES] = [keysOf(DAY_SIDES), keysOf(PRIORITY_TERMS), keysOf(STATE_TERMS)]

/**
 * Questions that the query languages answer: a subject (tasks, notes, cards, the trash, what changed, the time), and slots
 * such as a tag, a folder, a state or a date in any order. Every word must be one of them, or one that asks; a question
 * with any other word is one to the notes.
 */

/** The words of a question that no slot has taken yet. */
class Rest {
  #words: Sentence

  constructor(sentence: Sentence) {
    this.#words = sentence
    while (this.take('mark')) {}
  }

  /** Takes the first phrase of a class out; returns whether there is one. */
  take(name: WordClass): boolean {
    for (let at = 0; at < this.#words.tokens.length; at++) {
      const [end] = this.#words.endsOf(name, at)
      if (end === undefined) continue
      this.#words = this.#words.without(at, end)
      return true
    }
    return false
  }

  /** Takes out the name behind one phrase and before another: "in the project House", "in my House project". */
  takeName(before: WordClass, after?: WordClass): string | null {
    for (let at = 0; at < this.#words.tokens.length; at++)
      for (const end of this.#words.endsOf(before, at)) {
        let name = end
        while (this.#words.has('det', name)) name++
        const [last] = after === undefined ? [name + 1] : this.#words.endsOf(after, name + 1)
        if (last === undefined || name >= this.#words.tokens.length || this.#words.has('notes', name)) continue
        return this.#takeText(at, last, name)
      }
    return null
  }

  /** Takes out a name with a sign before it. */
  takeSigned(sign: '@' | '#'): string | null {
    const at = this.#words.tokens.findIndex(({ key }) => key.startsWith(sign) && key.length > 1)
    return at < 0 ? null : this.#takeText(at, at + 1, at)
  }

  #takeText(from: number, to: number, name: number): string {
    const text = unquoteName(this.#words.slice(name, name + 1)).words.replace(/^[#@]/, '')
    this.#words = this.#words.without(from, to)
    return text
  }

  /** Takes out a date with the word before it that tells how days compare with it. */
  takeDate(): AskedDate | null {
    const { tokens } = this.#words
    const first = tokens.findIndex(
      (_, at) => this.#dayEnd(at) > at && !DAY_CLASSES.some((name) => this.#words.has(name, at)),
    )
    if (first < 0) return null
    let end = first
    while (this.#dayEnd(end) > end && end < first + MAX_DATE_WORDS) end = this.#dayEnd(end)
    const isDate = tokens
      .slice(first, end)
      .some((_, i) => this.#words.has('day', first + i) || /^\d{4}-/.test(tokens[first + i]?.key ?? ''))
    if (!isDate) return null
    const when = this.#words.slice(first, end)
    const side = DAY_CLASSES.find((name) => this.#words.endsWith(name, first) !== null)
    const from = (side && this.#words.endsWith(side, first)) ?? first
    this.#words = this.#words.without(from, end)
    return { when, relation: side ? DAY_SIDES[side] : 'in' }
  }

  /** Returns where a word of a date ends; its place if it is none. */
  #dayEnd(at: number): number {
    const [end] = [...this.#words.endsOf('day', at), ...this.#words.endsOf('dated_', at)]
    return end ?? (/^\d{1,4}(?:st|nd|rd|th|er|-\d\d-\d\d)?$/.test(this.#words.tokens[at]?.key ?? '') ? at + 1 : at)
  }

  /** Whether nothing but words that ask is left. */
  get isEmpty(): boolean {
    while (this.take('fill') || this.take('howmany') || this.take('det') || this.take('shows') || this.take('owns')) {}
    return this.#words.tokens.length === 0
  }
}
/** A question without any of these is one to the notes. */
const SUBJECTS: readonly WordClass[] = [
  ...classesIn('task list notes cards study due agenda changes clock deleted bin day'),
  ...STATES,
]
/** Words of a question, so that taking them out one by one is quick. */
const MAX_WORDS = 40
/** Words of the longest date: "the first of the next month". */
const MAX_DATE_WORDS = 6

/** Reads a question in any language; null for any other text. */
export function readSlotQuestion({ words }: GrammarMessage): ReadIntent | null {
  for (const language of LANGUAGES) {
    const sentence = words.in(language)
    if (sentence.tokens.length > MAX_WORDS) return null
    if (!sentence.tokens.some((_, at) => SUBJECTS.some((name) => sentence.has(name, at)))) continue
    for (const read of [readAgenda, readTaskQuestion, readNoteQuestion, readOtherQuestion, readCardQuestion]) {
      const intent = read(new Rest(sentence), sentence)
      if (intent) return intent
    }
  }
  return null
}

const SPANS = ['today', 'tomorrow', 'week'] as const

/** Returns the span of lists that a date is; lists of a span show what is overdue as well. */
function spanOf(date: AskedDate | null): (typeof SPANS)[number] | null {
  if (date?.relation !== 'in') return null
  const isSpan = (sentence: Sentence) => SPANS.find((name) => sentence.endsOf(name, 0).includes(sentence.tokens.length))
  return LANGUAGES.map((language) => isSpan(new Sentence(date.when, language))).find(Boolean) ?? null
}

/** Reads "what is coming up this week". */
function readAgenda(rest: Rest): ReadIntent | null {
  const isAgenda = rest.take('agenda')
  const date = rest.takeDate()
  // The day may stand within: "was steht heute an".
  if ((!isAgenda && !rest.take('agenda')) || !rest.isEmpty) return null
  const span = spanOf(date)
  if (date && !span) return { kind: 'list_tasks', span: 'all', about: null, slots: { terms: [], date, field: 'due' } }
  return span === 'tomorrow' ? { kind: 'list_tasks', span, about: null } : { kind: 'agenda' }
}

const quoteTerm = (sign: string, name: string) => `${sign}"${name.replace(/["\\]/g, ' ')}"`

/** Reads a question about tasks. */
function readTaskQuestion(rest: Rest, sentence: Sentence): ReadIntent | null {
  const terms: string[] = []
  const label = rest.takeName('labelled') ?? rest.takeSigned('@')
  if (label !== null) terms.push(quoteTerm('@', label))
  const project = rest.takeName('inproject') ?? rest.takeName('inside', 'project') ?? rest.takeSigned('#')
  if (project !== null) terms.push(quoteTerm('#', project))
  const priority = PRIORITIES.find((name) => rest.take(name))
  if (priority) terms.push(PRIORITY_TERMS[priority])
  const state = STATES.find((name) => rest.take(name))
  if (state) terms.push(STATE_TERMS[state])
  const moved = state ? null : (['created', 'updated'] as const).find((name) => rest.take(name))
  const isDue = rest.take('due')
  const hasNoun = rest.take('task') || rest.take('list')
  const date = rest.takeDate()
  const [shows, owns] = [rest.take('shows'), rest.take('owns')]
  const isAlone = sentence.tokens.length === 1 + Number(owns)
  if (!rest.isEmpty || (moved && !date)) return null
  const field: TaskSlots['field'] = state === 'finished' ? 'completed' : (moved ?? 'due')
  const span = spanOf(date)
  if ((terms.length === 0 || (terms.length === 1 && state === 'overdue')) && field === 'due' && (!date || span)) {
    if (isDue && !hasNoun && !date && state === undefined) return { kind: 'agenda' }
    if (!isDue && state === undefined && !(hasNoun && (shows || owns || isAlone))) return null
    return { kind: 'list_tasks', span: state === 'overdue' ? 'overdue' : (span ?? 'all'), about: null }
  }
  if (!hasNoun && !isDue && !(state === 'finished' && (date || shows || owns))) return null
  return { kind: 'list_tasks', span: 'all', about: null, slots: { terms, date, field } }
}

/** Reads a question about notes by tag, folder or date, their number or the latest ones. */
function readNoteQuestion(rest: Rest, sentence: Sentence): ReadIntent | null {
  const counts = rest.take('howmany')
  const tag = rest.takeName('labelled') ?? rest.takeSigned('#')
  const folder = rest.takeName('infolder') ?? rest.takeName('inside', 'folder')
  const limit = rest.takeName('newest', 'notes')
  const latest = limit !== null || rest.take('latest')
  const updated = rest.take('updated')
  const created = rest.take('created')
  const noun = sentence.tokens.some((_, at) => sentence.has('notes', at)) && (rest.take('notes') || latest)
  const date = rest.takeDate()
  const isAsked = counts || sentence.has('shows', 0)
  if (!noun || !rest.isEmpty || (tag === null && folder === null && !latest && !date && !isAsked)) return null
  if (limit !== null && !/^\d{1,2}$/.test(limit)) return null
  return {
    kind: 'list_notes',
    ...{ tag, folder, date, field: updated && !created ? 'updated' : 'created' },
    ...{ counts, latest, limit: limit === null ? null : Number(limit) },
  }
}

/** Reads a question about the trash, what changed lately, or the time. */
function readOtherQuestion(rest: Rest, sentence: Sentence): ReadIntent | null {
  const isClock = rest.take('clock')
  const isChanged = !isClock && rest.take('changes')
  const isTrash = !isClock && !isChanged && (rest.take('deleted') || rest.take('bin'))
  if (isTrash) {
    rest.take('notes')
    rest.take('task')
  }
  const date = rest.takeDate()
  // The day may stand within: "was hat sich heute geändert".
  const isChange = isChanged || (!isClock && !isTrash && rest.take('changes'))
  if (!rest.isEmpty || sentence.tokens.length < 2) return null
  if (isTrash) return date ? null : { kind: 'list_trash' }
  if (isClock) return !date || spanOf(date) === 'today' ? { kind: 'clock' } : null
  return isChange ? { kind: 'list_changes', date: date ?? { when: 'today', relation: 'in' } } : null
}

/** Reads "which cards are due in the deck X". */
function readCardQuestion(rest: Rest, sentence: Sentence): ReadIntent | null {
  const deck = rest.takeName('indeck') ?? rest.takeName('inside', 'deck')
  const isCards = rest.take('cards')
  const isDue = rest.take('study') || (isCards && rest.take('due'))
  rest.takeDate()
  const isAsked = sentence.has('shows', 0) || sentence.has('owns', 0)
  if (!rest.isEmpty || !(isDue || (isCards && isAsked))) return null
  return { kind: 'due_cards', ...(deck !== null && { deck }) }
}

/** A request for something outside of this server: it begins with a verb of another program, and its object. */
const FOREIGN =
  /^(?:book|order|play|call|phone|text|e-?mail|send|turn (?:on|off|up|down)|switch (?:on|off)|open|buy|pay|transfer|start|stop|pause|wake|navigate|reserve|install|print|share|post|tweet|mute|unlock|lock|increase|decrease|dim|flip|roll|spell|define|convert|set|change|cancel|delete|remove|add|create|make|edit|update|move|put|schedule|undo|archive|pin) (?:me|us|him|her|them|an?|the|my|our|some|this|that|these|all|up|on|off|it|for|from|to|with)\b/i

/** Whether a message that nothing else reads is an order, and no question. */
export function isForeignOrder({ head, command }: GrammarMessage, text: string): boolean {
  return command && FOREIGN.test(head) && !/\?\s*$/.test(text)
}

/** Reads the span of time from the words of a message. */
function readSpan(head: string): TaskSpan {
  if (/\b(?:over ?due|late|missed|past due)\b/i.test(head)) return 'overdue'
  if (/\btomorrow\b/i.test(head)) return 'tomorrow'
  if (/\b(?:this|next|the|coming) (?:coming )?week\b|\bweekly\b|\b7 days\b/i.test(head)) return 'week'
  return /\b(?:today|tonight|this (?:morning|afternoon|evening))\b/i.test(head) ? 'today' : 'all'
}

/** Words before what may be on the list: "check whether I have already put …". */
const BEFORE =
  /^(?:(?:check|look|see|confirm|verify|tell me|let me know|i need to know|know|inform me|please|can you|to)\b ?)*(?:(?:if|whether|that|for)\b ?)?(?:(?:when|where|at what time|what time|how many) )?(?:(?:is|are|was|were|will|do|does|did|have|has|had)\b ?)?(?:(?:i|we|my|i've|there|it)\b ?)?(?:(?:already|remember to|set up|set aside|set|have|got|get|put|add|added|include|included|jot down|list|write|create|request|make|contain|show)\b ?)*(?:(?:an?|any|some|the) (?:tasks?|items?|time|reminders?|to-?dos?|things?)\b ?)?(?:set ?)?(?:(?:related )?(?:to|for|about|of|regarding)\b ?)?(?:(?:the|an?|any)\b ?)*/i
const AFTER =
  / ?(?:(?:is|are|be|gets?|coming up|part of|already|scheduled|listed|right now|currently|there|among|on it|in it|on|in|to|onto|of)\b ?)*$/i
const NO_THING =
  /^(?:(?:the |a |an |any |my )*(?:anything|something|everything|all|items?|things?|tasks?|chores?|left|yet|what(?:'s|ever)?|which|it|stuff|reminders?|errands?|see|alphabetically)\b.*|.*\b(?:what|which)\b.*)$/i
/** Questions after one thing. */
const ASKS_ONE =
  /^(?:(?:check|look|see|confirm|verify|tell me|let me know|i need to know|know|inform me|please|can you|to) )*(?:if|whether|that|is|are|was|will|do|does|did|have|when|where|at what time|what time)\b|^check\b.*\b(?:for|if|whether)\b|\bto see (?:if|whether)\b/i
/** "Is there a reminder for …" names no list. */
const ASKS_REMINDER =
  /^(?:do i have|is there|are there|have i got|have i set|did i (?:set(?: up)?|request|make|create|add|have)|check if i have)(?: already)? (?:an?|any|the|some) (?:reminders?|tasks?|to-?dos?|todos?)(?: set| on my list)? (?:to|for|about|of|regarding) /i

/** A time, or nothing: "what do I have to do to reset the router" is another question. */
const LATER =
  '(?:[, ]+(?:today|tomorrow|tonight|this|next|now|yet|according|per|right|still|left|on|for|in|over|before|by|so far|currently|please)\\b.*)?'
/** Unambiguous names of the list. */
const STRONG =
  "(?:to-? ?do|todo|task|reminders?|chores?) ?-?lists?|lists? of (?:my |the |all )*(?:reminders?|tasks|chores|to-? ?dos|things to (?:do|remember))|my (?:reminders?|to-? ?do'?s?|todo'?s?|chores|errands)"
const HAVE =
  "do i have|have i (?:got|set|made)|are there|is there|any|did i (?:set|make|have|add|create|put)|i (?:have|had|set|made|created)|i've (?:set|made|got)"
const THINGS = 'reminders?|to-? ?dos|todos|tasks'
const LOOSE: readonly RegExp[] = [
  `.*\\b(?:anything|what|things?|something|stuff|everything)\\b.*\\bi(?:'m| am|'ve)? (?:still |also )?(?:need|have|gotta|got|must|should|supposed|have got)(?: left)?(?: to)? (?:do|get done|finish|complete|accomplish)${LATER}`,
  `what (?:are )?(?:the )?things (?:that )?i have (?:for )?(?:today|tomorrow|this week)|i (?:wanted|was trying) to remember (?:what|some things|something)\\b.*`,
  // "What's left in the tank" and "what is there to do in Evans" are no questions about tasks.
  `(?:what (?:is|are|was)(?: there)?(?: left)?(?: for me)? to (?:do|be done)|what'?s left(?: to do)?)(?!.* (?:in|on) (?!my))${LATER}`,
  `what (?:items|tasks?|things?|chores|errands|reminders?|to-?dos)(?: on my list)? (?:do|did|have|am|must|should|are|were) (?:i|there|left|due|the)\\b.*`,
  `what (?:else |all )?(?:still )?needs? (?:to be done|doing|to get done|to be finished)${LATER}|(?:do i have|have i got|is there|are there) (?:anything|something|stuff|things|any ?thing|more) (?:else )?(?:left )?(?:for me )?to (?:do|complete|finish)${LATER}|what (?:am i|do i gotta|should i be) (?:supposed to )?(?:do|doing)${LATER}`,
  `(?!(?:add|put|remove|delete|erase|clear|create|make|set|don'?t|do not|never|not|why|how (?:do|can|should)|who|new|start)\\b).*\\b(?:${STRONG})\\b.*`,
  `.*\\b(?:${HAVE})\\b.*\\b(?:${THINGS})\\b.*|.*\\b(?:${THINGS})\\b.*\\b(?:${HAVE})\\b.*`,
  `.*\\b(?:remind me|tell me|what|know|things?|i)\\b.*\\b(?:i|to) (?:was |am |'?m )?(?:had |have |did )?(?:had|have|need|needed|want|wanted|supposed|meant|trying|asked|told|ask|help me)\\b.{0,25}\\b(?:remember|recall|not forget|be reminded)\\b.*`,
].map((pattern) => new RegExp(`^(?:${pattern})$`, 'i'))
/** The beginning of a question about the whole list. */
const ASKS_LIST =
  /^(?:what|which|show|list|tell|read|repeat|recite|state|say|speak|give|get|let|hear|see|view|check|go|walk|iterate|describe|display|bring|pull|open|review|remind|know|how many|are|inform|look|i(?: (?:want|need|would like|wonder))?\b|on|my|the|reminders|run|find|count|play|share|explain)/i

/** Reads an English question about the list of tasks in words too loose for slots; that it is shown does no harm. */
export function readListQuestion(message: GrammarMessage): ReadIntent | null {
  const head = narrow(message.head)
  const listed = listAt(message.words)
  const before = listed === null ? head : head.slice(0, listed)
  const isOne =
    ASKS_REMINDER.test(head) || (listed !== null && ASKS_ONE.test(head) && !/^\S+ (?:make|put|add)\b/i.test(head))
  if (isOne) {
    const rest =
      listed === 0 || (/^check\b/i.test(head) && / (?:for|if|whether) /i.test(head.slice(listed ?? 0)))
        ? head.replace(/^.*? (?:for|if|whether) /i, '')
        : before
    const words = rest.replace(BEFORE, '').replace(AFTER, '').trim()
    return { kind: 'list_tasks', span: readSpan(head), about: words === '' || NO_THING.test(words) ? null : words }
  }
  if (/\b(?:notes?|cards?)\b/i.test(head)) return null
  if ((listed !== null && (ASKS_LIST.test(head) || before === '')) || LOOSE.some((pattern) => pattern.test(head)))
    return { kind: 'list_tasks', span: readSpan(head), about: null }
  return null
}

/** Finds where the name of the list begins; null if there is none. */
function listAt(sentence: Sentence): number | null {
  const at = sentence.tokens.findIndex((_, i) => sentence.has('list', i))
  return sentence.tokens[at]?.start ?? null
}
