import { type Intent, type NamedItem, type SupposedChange, unquoteName } from './intent'
import { asks, type Reading, readListedTask, readNewNote, readReminder, toAddTask } from './new-items'
import { compileShapes, Sentence, type Shape, type Slots } from './shapes'

/**
 * What can be said: a verb with its object, in the orders that people use, and slots for names and texts. The orders are
 * the same in every language; a language says those that it has words for. The first one that fits a whole line counts.
 */
export interface Cell {
  /** The verb and the object; cells with the same name are one. */
  readonly name: string
  readonly writes: boolean
  readonly shapes: readonly Shape[]
  readonly means: Meaning
}

/** Returns the intent of the slots; null if they do not fit together. */
type Meaning = (slots: Slots, message: Reading) => Intent | null

export const cell = (name: string, shapes: string, means: Meaning): Cell => ({
  ...{ name, writes: true, shapes: compileShapes(shapes), means },
})
/** Creates a cell that only reads. */
const readingCell = (...of: Parameters<typeof cell>): Cell => ({ ...cell(...of), writes: false })

const plain = (text = ''): string => (/^["“]["”]$/.test(text) ? '' : unquoteName(text).words)
const lines = (parts: readonly string[], by: string): string => parts.filter((part) => part !== '').join(by)

/** The note or the task of a sentence. */
const itemOf = ({ note, task = '' }: Slots) =>
  ({ type: note === undefined ? 'task' : 'note', named: unquoteName(note ?? task) }) as const

const forNote =
  (means: (note: NamedItem, slots: Slots, message: Reading) => Intent | null): Meaning =>
  (slots, message) =>
    means(unquoteName(slots.note ?? ''), slots, message)

const ALL =
  /^(?:all|everything|every ?thing|every (?:item|task|thing)|all (?:of )?(?:the )?(?:items?|tasks?|things?|reminders?|chores)|the (?:items|whole|entire|tasks)|it all)$/i
const UNCLEAR =
  /^(?:|it|this|that|them|these|those|one|something|stuff|things?|an? (?:item|task|thing)|items?|tasks|(?:the |that |this |your |my )?(?:last|latest|present|current|previous|next|first|top)(?: (?:one|item|task|thing|entry))?)$/i

/** "Check if X is on my list" is a question. */
const ASKING = /^(?:to see |and see )?(?:if|whether|how|why|what|when|where|who)\b/i

/** Wraps a meaning for the name of one task. Words for all tasks are no name; one that is unclear shows the list, if it was named. */
export const forTask =
  (means: (task: NamedItem, slots: Slots) => Intent | null, onList = false): Meaning =>
  (slots) => {
    const name = (slots.task ?? '').replace(/ any ?more$/i, '')
    if (ASKING.test(name)) return null
    if (UNCLEAR.test(name)) return onList ? { kind: 'clear_tasks' } : null
    return ALL.test(name) ? { kind: 'clear_tasks' } : means(unquoteName(name), slots)
  }

const complete = (task: NamedItem): Intent => ({ kind: 'complete_task', task })
const trashTask = (named: NamedItem): Intent => ({ kind: 'trash', type: 'task', named })

const LEVELS: Readonly<Record<string, number>> = {
  ...{ urgent: 1, highest: 1, top: 1, critical: 1, high: 2, medium: 3, normal: 3, low: 4, lowest: 4, none: 0, no: 0 },
}
/** Words that are not joined are no tag. */
const TWO_WORDS = /^[^"“]*[\s:]/

const toTag =
  (adds: boolean): Meaning =>
  (slots, { language }) => {
    const tag = plain(slots.tag).replace(/^[#@]/, '')
    const words = new Sentence(slots.tag ?? '', language)
    // "Mark the task as done" is a change of its state.
    const isState = (['done', 'undone', 'urgent'] as const).some((name) => words.has(name, 0))
    if (tag === '' || isState || TWO_WORDS.test(slots.tag ?? '') || UNCLEAR.test(itemOf(slots).named.words)) return null
    return { kind: 'tag_item', ...itemOf(slots), tag, adds }
  }

/** UTF-16 units of a date in words. */
const MAX_WHEN_UNITS = 80
/** "Move it to the folder House" names no day. */
const PLACE = /^(?:the |my )?(?:folder|project|deck) /i

const toMove = forTask((task, { when = '' }) =>
  when.length > MAX_WHEN_UNITS || PLACE.test(when) ? null : { kind: 'move_task', task, when },
)
const toRank = forTask((task, { level = 'urgent' }) => {
  const priority = LEVELS[level.toLowerCase()] ?? (/^[0-4]$/.test(level) ? Number(level) : null)
  return priority === null ? null : { kind: 'rank_task', task, priority }
})
const toAddCard = ({ front, back, deck }: Slots): Intent => ({
  ...{ kind: 'add_card', front: plain(front), back: plain(back), deck: plain(deck) },
})
const toAppend = forNote((note, { text }, { body }) => {
  const content = lines([plain(text), body], '\n')
  return note.words === '' || content === '' ? null : { kind: 'append_note', note, text: content }
})

const DRAFT = 'draft me? det* count? cards drafts? from'

/** Changes of what exists, and what is made of it. Those of notes come before those of tasks. */
const ITEM_CELLS: readonly Cell[] = [
  cell(
    'rename note',
    `rename NOTE <note> into <title> particle? | dub NOTE <"note"> <title>
    | amend det* title of NOTE <note> into <title> | amend NOTE <"note"> title into <title>`,
    forNote((note, { title }) => ({ kind: 'rename_note', note, title: plain(title) })),
  ),
  cell(
    'tag item',
    'labels @item as det* tag? <tag> | put det* tag <tag> to @item particle? | put to @item det* tag <tag>',
    toTag(true),
  ),
  cell(
    'untag item',
    'trash/strike det* tag <tag> off @item | trash/strike to @item det* tag <tag> | untag @item <tag>',
    toTag(false),
  ),
  cell(
    'move note',
    'file NOTE <note> to @folder',
    forNote((note, { folder }) => ({ kind: 'move_note', note, folder: plain(folder) })),
  ),
  cell(
    'file task',
    'file TASK <task> to @project',
    forTask((task, { project }) => ({ kind: 'file_task', task, project: plain(project) })),
  ),
  cell(
    'clear date',
    'trash/strike det* date of TASK <task> | trash/strike TASK <"task"> date',
    forTask((task) => ({ kind: 'clear_date', task })),
  ),
  cell(
    'restore item',
    'restore/take @item off det* bin particle? | restore @item particle? | take @item returned',
    (slots) => ({ kind: 'restore', ...itemOf(slots) }),
  ),
  cell(
    'edit note',
    'replace <"find"> by <"text"> to/of NOTE <note> | replace det* text of NOTE <note> by <text>',
    forNote((note, { find, text }, { body }) => ({
      kind: 'edit_note',
      note,
      find: find === undefined ? null : plain(find),
      text: lines([plain(text), find === undefined ? body : ''], '\n'),
    })),
  ),
  cell(
    'add card',
    `make Cards mark? front mark <front> mark? back mark <back> to @deck
    | make Cards <"front"> sep <"back"> to @deck`,
    toAddCard,
  ),
  cell(
    'store cards',
    `${DRAFT} @note and? keep? it? to @deck | ${DRAFT} my? <note> notes? and? keep? it? to @deck | turn @note to cards and? keep? it? to @deck
    | keep @note to @deck particle?`,
    forNote((note, { deck }) => ({ kind: 'store_cards', note, deck: plain(deck) })),
  ),
  readingCell(
    'draft cards',
    `${DRAFT} @note | ${DRAFT} my? <note> notes? | draft me? from @note det* cards | turn @note to cards`,
    forNote((note) => ({ kind: 'draft_cards', note })),
  ),
]

const NOTE_CELLS: readonly Cell[] = [
  cell(
    'list task',
    `put <text> down? to list particle? <when>? | put down? to list mark? <text> particle?
    | to list joint* put/wish <text> added? | wish <text> added to list | want <text> be? added to list
    | wish <text> to list | sure? that? <text> must be? added? to list | sure that? <text> be added? to list
    | amend list by <text> | put <text> to Task <when>?`,
    readListedTask,
  ),
  cell(
    'append note',
    `put to NOTE <note> mark <text>? | put to NOTE <"note"> <text> | append to <"note"> mark <text>? | put <text> to @note particle?
    | append <text> to <"note">`,
    toAppend,
  ),
  cell(
    'create note',
    `begin me? fresh* note titled? <"title"> | begin me? fresh* note titled? <"title"> says/saying <text>
    | begin me? fresh* note titled <title> says <text> | begin me? fresh* note titled? <"title"> apart
    | begin me? fresh* note titled <title> apart | begin me? fresh* note titled <title>
    | begin me? fresh* note me? mark/saying <text> | begin me? fresh* note apart mark <text>
    | begin me? fresh* note me? particle? mark?
    | memo mark/that <text> | jot that? mark? <text>`,
    readNewNote,
  ),
  cell(
    'trash note',
    'file NOTE <note> to det* bin | trash @note particle?',
    forNote((named) => ({ kind: 'trash', type: 'note', named })),
  ),
  readingCell(
    'summarize note',
    `sum of? @note particle? | digest of? my? <note> notes? | draft/find me? det* summary about/of @note
    | det* summary about/of @note | draft me? of @note det* summary
    | draft/find me? det* summary about/of my? <note> notes?`,
    forNote((note) => ({ kind: 'summarize', note })),
  ),
  readingCell(
    'find notes',
    `find det* notes about/conn <query> | find det* notes <"query"> | find det <query> notes
    | find det* notes me? about <query>`,
    ({ query = '' }) => ({ kind: 'find_notes', query: plain(query) }),
  ),
]

/** The words of quick add for each recurrence. */
const EACH: Readonly<Record<string, string>> = {
  ...{ daily: 'every day', weekly: 'every week', monthly: 'every month', yearly: 'every year' },
}

/** "A task force" is no task. */
const OTHER_THING = /^(?:list|lists|force|manager|bar|app|board|in|on)\b/i

/** New tasks. */
const NEW_TASK_CELLS: readonly Cell[] = [
  cell(
    'rank task',
    `amend det* priority of TASK <task> onto =level priority?
    | amend det* priority of <task> onto =level priority? | state TASK <task> as? det? =level priority
    | state TASK <task> as? priority onto? =level | state TASK <task> as? urgent`,
    toRank,
  ),
  cell(
    'remind',
    `make me? det* alert alerting <text> | tell <timed> | remind | remind mark? =conn? <text>
    | nudge telling <text>`,
    readReminder,
  ),
  cell(
    'add task',
    `make me? Task me? made? particle? | make me? Task me? made? particle mark <text>
    | make me? Task me? made? conn <text> particle?
    | make me? Task <"text"> particle? | set Task <text> particle? | offer Task made?
    | offer Task made? telling <text> | offer Task made conn <text> | bare mark <alone>
    | put/amend down? to? list | begin me? det* list | begin me? det* list conn <purpose>`,
    // "Aufgabe: was ist das?" is a question.
    ({ alone = '', text = alone, often = '' }, { language }) =>
      OTHER_THING.test(text) || asks(alone, language) ? null : toAddTask(text, EACH[often.toLowerCase()] ?? ''),
  ),
]

const TASK_CELLS: readonly Cell[] = [
  cell('clear tasks', 'strike particle? list particle* | sure list be? empty', () => ({ kind: 'clear_tasks' })),
  cell(
    'complete task',
    `tick particle? <task> particle? off/to list | off/to list joint* tick <task> done/particle?
    | want <task> be? checked off/to? list | state <task> done to list`,
    forTask(complete, true),
  ),
  cell(
    'reopen task',
    'state TASK <task> undone | state <task> undone | reopen TASK <task> particle? | uncheck <task>',
    forTask((task) => ({ kind: 'reopen_task', task })),
  ),
  cell(
    'complete task',
    `state TASK <task> done | state <task> done | finish TASK <task> particle? | finish det* <"task"> particle?
    | finish det <task> task | check <task> | tick TASK <task> off/done particle?`,
    forTask(complete),
  ),
  cell(
    'trash task',
    `strike particle? <task> off? list particle? | off/to list joint* strike <task> particle?
    | want <task> be? removed off/to? list | unwant <task> to list particle?`,
    forTask(trashTask, true),
  ),
  cell(
    'trash task',
    'file TASK <task> to det* bin | trash TASK <task> particle? | trash det* <task> task',
    forTask(trashTask),
  ),
  cell(
    'rename task',
    `rename TASK <task> into <title> particle? | rename <"task"> into <"title"> particle?
    | dub TASK <"task"> <title> | amend TASK <"task"> title into <title>
    | replace <task> by <title> to list`,
    forTask((task, { title }) => ({ kind: 'rename_task', task, title: plain(title) })),
  ),
  cell(
    'move task',
    `move/amend TASK <task> particle? dated? onto <when> particle?
    | move/amend det* date of TASK <task> onto <when> particle? | move det* <"task"> onto <when> particle?`,
    toMove,
  ),
  cell('choose task', 'amend <task> to list', () => ({ kind: 'clear_tasks' })),
]

const suppose =
  (change: (slots: Slots, reading: Reading) => SupposedChange | null): Meaning =>
  (slots, reading) => {
    const changed = ASKING.test(slots.task ?? '') ? null : change(slots, reading)
    return changed && { kind: 'suppose', task: unquoteName(slots.task ?? ''), change: changed }
  }

/** Readings of a message without any other that are too loose to write: they ask first. */
export const LOOSE_CELLS: readonly Cell[] = [
  cell('suppose task', 'offer Task made? conn <text>', ({ text = '' }) => ({
    ...{ kind: 'did_you_mean', command: `Add a task: ${text}` },
  })),
  cell(
    'suppose move',
    'move my? <task> onto <when> particle?',
    suppose(({ when = '' }, { language }) => (namesDay(new Sentence(when, language)) ? { kind: 'move', when } : null)),
  ),
  cell(
    'suppose rename',
    'rename my? <task> into <title> particle?',
    suppose(({ title }) => ({ kind: 'rename', title: plain(title) })),
  ),
  cell(
    'suppose done',
    'finish my? <task> particle?',
    suppose(() => ({ kind: 'complete' })),
  ),
  cell(
    'suppose trash',
    'trash my? <task> particle?',
    suppose(() => ({ kind: 'trash' })),
  ),
]

const namesDay = (words: Sentence): boolean =>
  words.tokens.some(({ key }, at) => /^\d/.test(key) || words.has('day', at))

/** In the order in which they are tried. */
export const CELLS: readonly Cell[] = [...ITEM_CELLS, ...NOTE_CELLS, ...NEW_TASK_CELLS, ...TASK_CELLS]

type Talk = 'help' | 'greeting' | 'thanks' | 'compose'

const talk = (kind: Talk, shapes: string, fits: (slots: Slots) => boolean = () => true): Cell =>
  readingCell(kind, shapes, (slots) => (fits(slots) ? { kind } : null))

const SUM = /^[\d\s.()]+(?:[-+*/x^]|plus|minus|times|divided by) ?[\d\s.()+*/x^-]+$/i
/** Words between the verb and the sort of text: "a short funny birthday poem". */
const MAX_KIND_WORDS = 3

/** Talk that is about no note or task, and requests to write, translate or reason. */
export const TALK_CELLS: readonly Cell[] = [
  talk('greeting', 'mark* hello greeted* mark*'),
  talk('thanks', 'thank mark* thank? thanked* mark*'),
  talk(
    'help',
    `mark* help mark* | shows? me? which kinds* can youall able? helping aspect* | which model areyou
    | are bot <text>? | which areyour talents | howdo youall work?`,
  ),
  talk(
    'compose',
    'reason <text>? | howsay <text> inside <language> | howis <text> said inside <language> | say <text> inside tongue',
  ),
  talk('compose', 'whatis <sum>', ({ sum = '' }) => SUM.test(sum)),
  talk(
    'compose',
    'compose me? det? <kind>? texts | compose me? det? <kind>? texts topic <text>?',
    ({ kind = '' }) => kind.split(' ').length <= MAX_KIND_WORDS,
  ),
]
