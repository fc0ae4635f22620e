/** Does what a command says, through the tools, and says what came of it. */
import { type ToolOutcome, warningsOf } from '../../tools/tool'
import { toAnswerText } from '../answer-text'
import { type Command, type Named, readList } from './commands'
import { MAX_ACTIONS, splitCards, splitItems, writeHours } from './frames'
import { term, write, writeDone } from './replies'
import { findMentioned } from './talk'
import {
  type ActDeps,
  type Acting,
  chooseTarget,
  countMember,
  findOne,
  findTargets,
  type Json,
  listMember,
  makeTarget,
  quote,
  sayFault,
  sayOffer,
  saysMoreOf,
  type Target,
  textMember,
  writeDue,
  writeMark,
} from './targets'

/** Says what a tool did, or asks whether to do it. @param what names the change; `more` ends the sentence if it was done */
function sayOutcome(acting: Acting, outcome: ToolOutcome, what: string, more = '') {
  if (sayFault(acting, outcome) || !outcome.action) return
  const { run, language } = acting
  const { status, summary, target, tool } = outcome.action
  const done = target && writeDone(language, what, target.type === 'fact' ? 'flashcard' : target.type, target.title)
  const said = done ?? toAnswerText(summary)
  if (status !== 'pending') return run.say(`${said}${more}.`)
  // AnswerRun.finish adds how to confirm it.
  if (what !== 'undone' && tool === 'trash_item' && target)
    return run.say(
      language === 'en'
        ? `Shall I move ${quote(target.title)} to the trash?`
        : write(language, 'shallTrash', target.title, term(language, target.type)),
    )
  run.say(write(language, 'shall', said))
}

/** Says what was taken back, or asks whether to. */
export const sayUndone = (acting: Acting, outcome: ToolOutcome): void => sayOutcome(acting, outcome, 'undone')

type Types = readonly Target['type'][]
type Change = (types: Types, what: string, args: (target: Target) => Json, isDone?: boolean) => Promise<boolean>

/** The commands that make something. */
const ADDS: ReadonlySet<Command['kind']> = new Set(['task', 'list', 'note', 'remember'])

/** Does a command. Returns false if it is none after all: what it names loosely is not there. */
export async function act(deps: ActDeps, acting: Acting, command: Command): Promise<boolean> {
  const { run } = acting
  /** Does something with the one thing that is meant. */
  const withOne = async (types: Types, work: (target: Target) => Promise<void>, isDone: boolean | null = null) => {
    const target = await findOne(deps, acting, command, types, isDone)
    if (target === 'none') return false
    if (target) await work(target)
    return true
  }
  const change: Change = (types, what, args, isDone) =>
    withOne(
      types,
      async (target) => {
        const given = args(target)
        const outcome = await run.call(`update_${target.type}`, { id: target.id, ...given })
        sayOutcome(acting, outcome, what, typeof given.due === 'string' ? `: ${writeDue(given.due)}` : '')
      },
      isDone,
    )
  const both = ['task', 'note'] as const
  const { kind, text, named, priority, labels, off, name } = command
  // "Leg Steuer machen auf Freitag" does not make a task of that name if there is one to be moved.
  if (command.mayChange && ADDS.has(kind) && (await saysMoreOf(deps, acting, text))) {
    run.say(write(acting.language, 'unclear', text))
    return true
  }
  switch (kind) {
    case 'task':
    case 'remind':
      return addTasks(acting, command)
    case 'complete':
      return change(['task'], off ? 'reopened' : 'completed', () => ({ done: !off }), off)
    case 'rank':
      return change(['task'], 'priority', () => ({ priority }))
    case 'undate':
      return change(['task'], 'due', () => ({ due: null }))
    case 'rename':
      return change(both, 'title', () => ({ title: name }))
    case 'label':
      return labelAll(deps, acting, command, labels)
    case 'move':
      return move(deps, acting, command, change)
    case 'delete':
      return withOne(both, async ({ type, id }) =>
        sayOutcome(acting, await run.call('trash_item', { type, id }), 'trashed'),
      )
    case 'restore':
      return restore(acting, command)
    case 'append':
      return change(['note'], 'text', () => ({ append: unwrap(text) }))
    case 'list':
      return addToList(deps, acting, command)
    case 'note':
    case 'remember':
      return addNote(acting, { title: name, body: unwrap(text), isNote: kind === 'note' })
    case 'card':
      return addSplitCards(acting, command)
    case 'draft':
      return withOne(['note'], ({ id, title }) => draftCards(acting, { id }, title, command.deck))
    case 'quiz':
      await quiz(acting, command.deck)
      return true
    case 'undo':
      return named === null
  }
}

/** Moves a note to a folder, or a task to a project or a day, where it keeps its time. */
async function move({ readWhen }: ActDeps, { run, language }: Acting, command: Command, change: Change) {
  const { folder, project, when } = command
  if (folder !== '') return change(['note'], 'folder', () => ({ folder }))
  if (project !== '') return change(['task'], 'project', () => ({ project }))
  const day = readWhen(writeHours(when), run.ask)
  if (day)
    return change(['task'], 'due', ({ due }) => ({
      due: [day.date, day.time ?? due.split('T')[1]].filter((one) => one).join('T'),
    }))
  run.say(write(language, 'noDay', when))
  return true
}

/** Adds the cards that a text has. */
async function addSplitCards(acting: Acting, { text, deck }: Command): Promise<boolean> {
  const cards = splitCards(text).map(({ front, back }) => ({ front, back: back.replace(DECK_END, '') }))
  if (cards.length > MAX_ACTIONS) acting.run.say(write(acting.language, 'many', MAX_ACTIONS))
  else await addCards(acting, deck || deckIn(text) || USUAL_DECK, cards)
  return true
}

const unwrap = (text: string): string => text.replace(/^["“«]\s?([^"”»]*?)\s?["”»]$/, '$1')

/** Adds tasks by quick add, which reads dates, repeats, labels and priority from the words; what it did not read is said. */
async function addTasks(
  acting: Acting,
  { text, when, project, kind, isPlural, language: read }: Command,
): Promise<boolean> {
  const { run, language } = acting
  const several = kind === 'task' && (text.includes('\n') || isPlural || (text.match(/,/g)?.length ?? 0) > 1)
  const items = several ? splitItems(text) : [text]
  for (const [i, item] of items.slice(0, MAX_ACTIONS).entries()) {
    if (i > 0) run.say('\n')
    const inProject = project === '' ? '' : ` #${/\s/.test(project) ? `"${project}"` : project}`
    const words = `${writeHours(`${unwrap(item)} ${when}`.trim())}${inProject}`
    const outcome = await run.call('create_task', { text: words, ...(read !== 'en' && { language: read }) })
    const due = textMember(outcome.result, 'due')
    sayOutcome(acting, outcome, 'created', due === '' ? '' : `, ${term(language, 'due')} ${writeDue(due)}`)
    const warnings = warningsOf(outcome.result)
    if (warnings.length > 0) run.say(` ${write(language, 'noTime', unwrap(item), warnings.join('; '))}`)
  }
  if (items.length > MAX_ACTIONS) {
    const left = items.slice(MAX_ACTIONS, MAX_ACTIONS + 3).map(quote)
    run.say(`\n${write(language, 'unread', left.join(', '))}`)
    run.warn('read_in_part')
  }
  return true
}

/** Code points of the title of a note without one: its first line. */
const MAX_TITLE_CHARS = 80

/** Makes a note, or asks for its text. */
export async function addNote(
  acting: Acting,
  { title, body, isNote }: { title: string; body: string; isNote: boolean },
): Promise<boolean> {
  if (title === '' && body === '') acting.run.say(write(acting.language, 'whatNote'))
  else {
    const tags = isNote
      ? Array.from(body.matchAll(/(?<!\S)#([\p{L}][\p{L}\d/_-]*)$/gu), ([, tag]) => tag as string)
      : []
    const plain = tags.length > 0 && title === '' ? body.replace(/(?:\s*#\S+)+$/, '') : body
    const first = Array.from(plain.split('\n')[0] ?? '')
      .slice(0, MAX_TITLE_CHARS)
      .join('')
      .trim()
    const named = { title: title || first, body: plain, ...(tags.length > 0 && title === '' && { tags }) }
    sayOutcome(acting, await acting.run.call('create_note', named), 'created')
  }
  return true
}

/** Adds or takes away labels or tags, one call for each. */
async function labelAll(deps: ActDeps, acting: Acting, command: Command, labels: readonly string[]): Promise<boolean> {
  const target = await findOne(deps, acting, command, ['task', 'note'])
  if (!target) return true
  if (target === 'none') return false
  const what = target.type === 'task' ? 'labels' : 'tags'
  for (const [i, label] of labels.entries()) {
    if (i > 0) acting.run.say('\n')
    const args = { id: target.id, ...(command.off ? { untag: label } : { tag: label }) }
    sayOutcome(acting, await acting.run.call(`update_${target.type}`, args), what)
  }
  return true
}

/** Restores what a name means from the trash. */
async function restore(acting: Acting, { named: given, isLoose }: Command): Promise<boolean> {
  const { run, language, talk } = acting
  const mentioned = given?.points ? findMentioned(talk, given, ['note', 'task'])[0] : null
  const named = mentioned ? { words: mentioned.title, quoted: true, type: null, points: false } : (given as Named)
  const types = named.type ? [named.type] : ['note', 'task']
  const outcome = await run.call('search', {
    query: named.words.slice(0, 300).toWellFormed(),
    trashed: true,
    types,
    limit: 20,
  })
  if (sayFault(acting, outcome)) return true
  const trashed = listMember(outcome.result, 'items').map((item) =>
    makeTarget(textMember(item, 'type'), textMember(item, 'id'), textMember(item, 'title')),
  )
  const { targets } = chooseTarget(named, trashed, language)
  const [only] = targets
  if (!only && isLoose && !given?.points) return false
  if (only && targets.length === 1)
    sayOutcome(acting, await run.call('trash_item', { type: only.type, id: only.id, restore: true }), 'restored')
  else sayOffer(acting, only ? 'several' : 'noneFits', only?.type ?? named.type ?? 'note', named.words, targets)
  return true
}

/** Adds items to a list: a note of that name, which is made if there is none, or the list of tasks. */
async function addToList(deps: ActDeps, acting: Acting, command: Command): Promise<boolean> {
  const list = readList(command.name)
  if (list === 'tasks') return addTasks(acting, { ...command, kind: 'task' })
  const text = unwrap(command.text).replace(/^(?:some|a few|du|de la|des|de l'|noch|auch) ?(?=\S)/i, '')
  const items = splitItems(text)
    .map((item) => `- ${item}`)
    .join('\n')
  const named: Named = { words: list, quoted: false, type: 'note', points: false }
  const { targets, share } = await findTargets(deps, acting, named, ['note'], null)
  const [note] = targets
  if (note && share === 1 && targets.length === 1) {
    sayOutcome(acting, await acting.run.call('update_note', { id: note.id, append: items }), 'text')
    return true
  }
  if (targets.length > 1) sayOffer(acting, 'several', 'note', list, targets)
  else await addNote(acting, { title: list.charAt(0).toUpperCase() + list.slice(1), body: items, isNote: false })
  return true
}

/** The deck of cards for which none is named. */
const USUAL_DECK = 'Flashcards'
const DECK_END = / (?:to|in|into) (?:the |my )?(?:deck "?([^"]+?)"?|"?([^"]+?)"? deck)$/i
const deckIn = (text: string): string =>
  unwrap(
    DECK_END.exec(text)
      ?.slice(1)
      .find((one) => one) ?? '',
  )

async function addCards(acting: Acting, deck: string, cards: readonly Json[]): Promise<void> {
  const outcome = await acting.run.call('create_cards', { deck, cards })
  const skipped = countMember(outcome.result, 'skipped')
  const verb = skipped === 1 ? 'was' : 'were'
  const there =
    acting.language === 'en' ? `; ${skipped} ${verb} there already` : write(acting.language, 'cardsThere', skipped)
  sayOutcome(acting, outcome, 'created', skipped > 0 ? there : '')
}

/** Shows drafts of cards from a note or a text, or stores them in the deck that is named. */
export async function draftCards(acting: Acting, from: Json, title: string, deck: string): Promise<void> {
  const { run, language } = acting
  const outcome = await run.call('suggest_cards', { ...from, limit: 10 })
  if (sayFault(acting, outcome)) return
  const drafts = listMember(outcome.result, 'drafts')
  if (drafts.length === 0) return run.say(write(language, 'noDrafts', title))
  if (deck !== '') {
    const members = ['type', 'front', 'back', 'text']
    const given = (draft: Json) => members.filter((one) => textMember(draft, one) !== '')
    const cards = drafts.map((draft) => Object.fromEntries(given(draft).map((one) => [one, textMember(draft, one)])))
    return addCards(acting, deck, cards)
  }
  const lines = drafts.map((draft, i) => {
    const [front, back, text] = ['front', 'back', 'text'].map((one) => toAnswerText(textMember(draft, one)))
    return `${i + 1}. ${text || `${front} — ${back}`}${writeMark(run, outcome.sources[i])}`
  })
  run.say([write(language, 'drafts', title), ...lines, write(language, 'store', title)].join('\n'))
}

/** Asks a card that is due, of one deck or of all; its answer is shown when it is requested. */
async function quiz(acting: Acting, deck: string): Promise<void> {
  const { run, language } = acting
  const named = await run.call('list_due_cards', { ...(deck && { deck }), limit: 1 })
  const outcome = named.fault && deck ? await run.call('list_due_cards', { limit: 1 }) : named
  if (sayFault(acting, outcome)) return
  const [card] = listMember(outcome.result, 'items')
  if (!card) return run.say(write(language, 'noCards'))
  const mark = writeMark(run, outcome.sources[0])
  run.say(`${write(language, 'quiz', textMember(card, 'front'))}${mark}\n${write(language, 'reveal')}`)
}
