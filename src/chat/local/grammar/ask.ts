import type { GrammarMessage, ReadIntent, TaskSlots } from './intent'
import { unquoteName } from './intent'

/**
 * The questions that the query languages answer: a subject (tasks, notes, the trash, what changed), and slots such as a
 * tag, a folder, a state or a date in any order. Every word must be one of them; a question with any other word is one
 * to the notes.
 */

const NAME = '(?:["“](?<quoted>[^"”]+)["”]|(?<bare>[\\p{L}\\p{N}_/-]+))'
const MONTH = '(?:jan|febr?|march|april|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ember|ober|ust|em)?'
const WEEKDAY = '(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?'
const DAY = `(?:today|tonight|tomorrow|yesterday|${MONTH}|${WEEKDAY}|\\d{4}-\\d\\d-\\d\\d|\\d{1,4}(?:st|nd|rd|th)?|(?:day|week|month|quarter|year|weekend)s?|this|next|last|past|coming|previous|current|the|of|after|before|ago)`
const DATE = new RegExp(
  `(?:\\b(?:(?<side>by|before|after|since|until|till)|on|in|for|from|during|at|over|within) )?\\b(?<when>${DAY}(?:,? ${DAY}){0,5})\\b(?: ago)?`,
  'iu',
)
/** A word that alone makes a date. */
const TELLING = new RegExp(
  `\\b(?:today|tonight|tomorrow|yesterday|${MONTH}|${WEEKDAY}|\\d{4}-\\d\\d-\\d\\d|day|week|month|quarter|year|weekend)s?\\b`,
  'iu',
)

/** Words that ask, and those between slots. */
const FILLER =
  /\b(?:what(?:'s|s)?|which|how many|how much|number of|count(?: of)?|show|list|display|give|tell|see|find|get|check|me|us|do|does|did|have|has|had|i|we|got|are|is|was|were|be|been|there|any|anything|everything|all|every|the|my|our|a|an|of|in|on|that|with|and|so far|right now|currently|in total|altogether|please|things?|items?|to)\b/giu

/** The rest of a question while its slots are taken out. */
class Rest {
  text: string

  constructor(head: string) {
    this.text = head.replace(/[?!,;]/g, ' ')
  }

  /** Takes the first match out, and returns its groups; null if there is none. */
  take(pattern: RegExp): Readonly<Record<string, string | undefined>> | null {
    const found = pattern.exec(this.text)
    if (!found) return null
    this.text = `${this.text.slice(0, found.index)} ${this.text.slice(found.index + found[0].length)}`
    return found.groups ?? {}
  }

  takeName(pattern: RegExp): string | null {
    const groups = this.take(pattern)
    return groups ? (groups.quoted ?? groups.bare ?? null) : null
  }

  takeDate(): TaskSlots['date'] {
    const found = DATE.exec(this.text)
    const when = found?.groups?.when
    if (!found || when === undefined || !TELLING.test(when)) return null
    this.take(DATE)
    const side = found.groups?.side?.toLowerCase() ?? ''
    const relation = side === 'before' ? 'before' : side === 'after' ? 'after' : side === 'since' ? 'from' : null
    return {
      when: `${when}${/ ago$/i.test(found[0]) && !/ ago$/i.test(when) ? ' ago' : ''}`.trim(),
      relation: relation ?? (side === '' ? 'in' : 'until'),
    }
  }

  get isEmpty(): boolean {
    return this.text.replace(FILLER, ' ').trim() === ''
  }
}

const withName = (before: string, after = '') => new RegExp(`${before}${NAME}${after}`, 'iu')
const LABEL = withName('\\b(?:labell?ed|tagged)(?: as| with)? [#@]?')
const WITH_LABEL = withName('\\b(?:with|have|having|by) (?:the )?(?:label|tag) [#@]?')
const AT = withName('(?<![\\p{L}\\p{N}])@')
const HASH = withName('(?<![\\p{L}\\p{N}])#')
const IN_PROJECT = withName('\\b(?:in|of|from|for) (?:the |my )?project (?:called |named )?')
const PROJECT = withName('\\b(?:in|of|from|for) (?:the |my )?', ' project\\b')
const IN_FOLDER = withName('\\b(?:in|from|of|under) (?:the |my )?folder (?:called |named )?')
const FOLDER = withName('\\b(?:in|from|of|under) (?:the |my )?', ' folder\\b')
const PRIORITY =
  /\b(?:(?<level>highest|high|top|urgent|medium|normal|low|no|without)(?: |-)priority|priority (?<digit>[0-4])|(?<bare>urgent))\b/iu

const LEVELS: Readonly<Record<string, string>> = {
  ...{ highest: 'p1', top: 'p1', urgent: 'p1', high: '(p1 or p2)', medium: 'p3', normal: 'p3', low: 'p4' },
  ...{ no: 'p0', without: 'p0', '0': 'p0', '1': 'p1', '2': 'p2', '3': 'p3', '4': 'p4' },
}
/** States that words name, as terms of a filter. */
const STATES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:completed?|finished|done|accomplished|ticked off|checked off)\b/iu, 'done'],
  [/\b(?:over ?due|late|past due)\b/iu, 'overdue'],
  [/\b(?:undated|without (?:a )?(?:due )?date|with no (?:due )?date)\b/iu, 'undated'],
  [/\b(?:recurring|repeating)\b/iu, 'recurring'],
  [/\bblocked\b/iu, 'blocked'],
  [/\b(?:in progress|started)\b/iu, 'in_progress'],
  [/\bcancell?ed\b/iu, 'cancelled'],
]
const TASKS = /\b(?:tasks?|to-? ?dos?|todos?|reminders?|chores|errands)\b/iu

/** Dates that lists of tasks have as spans, which include what is overdue. */
const SPANS = /^(?:today|tonight|tomorrow|this week)$/i

const quoteTerm = (sign: string, name: string) => `${sign}"${name.replace(/["\\]/g, ' ')}"`

/** Reads a question about tasks with at least one slot that the spans of lists lack; null for any other text. */
export function readTaskQuestion({ head }: GrammarMessage): ReadIntent | null {
  const rest = new Rest(head)
  const terms: string[] = []
  const label = rest.takeName(LABEL) ?? rest.takeName(WITH_LABEL) ?? rest.takeName(AT)
  if (label !== null) terms.push(quoteTerm('@', label))
  const project = rest.takeName(IN_PROJECT) ?? rest.takeName(PROJECT) ?? rest.takeName(HASH)
  if (project !== null) terms.push(quoteTerm('#', project))
  const { level, digit, bare } = rest.take(PRIORITY) ?? {}
  const priority = LEVELS[(level ?? digit ?? bare ?? '').toLowerCase()]
  if (priority !== undefined) terms.push(priority)
  const [, state] = STATES.find(([pattern]) => rest.take(pattern)) ?? []
  if (state !== undefined) terms.push(state)
  const moved = state ? null : rest.take(/\b(?<created>created|added|made)\b|\b(?<updated>updated|changed|edited)\b/iu)
  const isDue = rest.take(/\b(?:due|scheduled|planned)\b/iu) !== null
  const hasNoun = rest.take(TASKS) !== null
  const date = rest.takeDate()
  const field = state === 'done' ? 'completed' : moved?.created ? 'created' : moved?.updated ? 'updated' : 'due'
  const asks = hasNoun || isDue || (state === 'done' && /^(?:what|completed|finished|done)\b/i.test(head))
  const isSpan = terms.length === 0 || (terms.length === 1 && state === 'overdue')
  const hasSpan = !date || (field === 'due' && date.relation === 'in' && SPANS.test(date.when))
  if (!asks || !rest.isEmpty || (moved && !date) || (isSpan && hasSpan)) return null
  return { kind: 'list_tasks', span: 'all', about: null, slots: { terms, date, field } }
}

/** Reads a question about notes by tag, folder or date, their number or the latest ones; null for any other text. */
export function readNoteQuestion({ head }: GrammarMessage): ReadIntent | null {
  const rest = new Rest(head)
  const counts = /\bhow many\b|\bnumber of\b|\bcount\b/i.test(head)
  const tag = rest.takeName(LABEL) ?? rest.takeName(WITH_LABEL) ?? rest.takeName(HASH)
  const folder = rest.takeName(IN_FOLDER) ?? rest.takeName(FOLDER)
  const latest = rest.take(
    /\b(?:(?:the |my )?(?:last|latest|newest|most recent) (?<count>\d{1,2}) (?=notes)|latest|newest|most recent|recent|last (?=notes?\b))/iu,
  )
  const changed = rest.take(/\b(?:updated|changed|edited|modified)\b/iu)
  const made = rest.take(/\b(?:created|added|made|written|taken|wrote|write|take)\b/iu)
  const noun = rest.take(/\bnotes?\b/iu)
  const date = rest.takeDate()
  if (!noun || !rest.isEmpty || (tag === null && folder === null && !latest && !date && !counts)) return null
  return {
    kind: 'list_notes',
    ...{ tag, folder, date, field: changed && !made ? 'updated' : 'created' },
    ...{ counts, latest: latest !== null, limit: latest?.count === undefined ? null : Number(latest.count) },
  }
}

const TRASH =
  /^(?:what(?:'s| is| do i have)?|which (?:notes|tasks) are|show(?: me)?|list|see|open)(?: there)?(?: everything)?(?: in)?(?: the| my)? (?:trash|bin|recycle bin)$|^(?:show|list)(?: me)?(?: the| my| all)? (?:deleted|trashed) (?:notes|tasks|things|items)$|^what (?:did i|have i) (?:delete|deleted|trash|trashed)$/i
const CHANGES =
  /^(?:what(?: has| have| all)?(?: i)? changed|(?:show(?: me)?|list|what are)(?: the| my)? (?:recent |latest |last )?changes|what did i (?:change|edit)|what(?:'s| is) new|recent changes)(?: (?<when>.+))?$/i
const CLOCK =
  /^(?:(?:what(?:'s| is)|tell me|do you know|give me)(?: the)? (?:current |present )?(?:time|date|day|date and time|time and date|day of the week)(?: is it)?(?: (?:right )?now| today| please)*|what (?:time|day|date|weekday|day of the week|month|year) is it(?: (?:right )?now| today)*|(?:what is |what's )?today'?s date|what(?:'s| is) today|(?:current )?(?:time|date)(?: please)?)$/i

/** Reads a question about the trash, what changed lately, or the time; null for any other text. */
export function readOtherQuestion({ head }: GrammarMessage): ReadIntent | null {
  const text = head.replace(/[?!.]+$/, '').trim()
  if (CLOCK.test(text)) return { kind: 'clock' }
  if (TRASH.test(text)) return { kind: 'list_trash' }
  const changes = CHANGES.exec(text)
  if (!changes) return null
  const { when } = changes.groups ?? {}
  const rest = new Rest(when ?? 'today')
  const date = rest.takeDate()
  return date && rest.isEmpty ? { kind: 'list_changes', date } : null
}

/** Reads "which cards are due in the deck X"; null for any other text. */
export function readAskedDeck(head: string): string | null {
  const { deck } =
    /\b(?:in|of|from) (?:the |my )?(?:deck (?:called |named )?(?<deck>.+?)|(?<other>["“].+["”]|[\p{L}\p{N}_-]+) deck)(?: today| now| due| this week)*$/iu.exec(
      head,
    )?.groups ?? {}
  return deck === undefined ? null : unquoteName(deck).words
}

/** A request for something outside of this server: it begins with a verb of another program, and its object. */
const FOREIGN =
  /^(?:book|order|play|call|phone|text|e-?mail|send|turn (?:on|off|up|down)|switch (?:on|off)|open|buy|pay|transfer|start|stop|pause|wake|navigate|reserve|install|print|share|post|tweet|mute|unlock|lock|increase|decrease|dim|flip|roll|spell|define|convert|set|change|cancel|delete|remove|add|create|make|edit|update|move|put|schedule|undo|archive|pin) (?:me|us|him|her|them|an?|the|my|our|some|this|that|these|all|up|on|off|it|for|from|to|with)\b/i

/** Whether a message that nothing else reads is an order, and no question. */
export function isForeignOrder({ head, command }: GrammarMessage, text: string): boolean {
  return command && FOREIGN.test(head) && !/\?\s*$/.test(text)
}
