/** Our own sets: questions in workspaces of several sizes, and commands; a plain baseline is asked the same beside. */
import { type Count, computeShare, type Figure } from '../figures'
import type { Part } from '../search/compare'
import { beginTalk } from './asker'
import { createBaseline } from './baseline'
import { type Outcome, obey, obeyPatterns } from './commands'
import { makeCrowd } from './crowd'
import { type Command, isRight, merge, type OwnSet, pickSize } from './set'
import { startWorld } from './world'

/** Takes a line about what was missed. */
export type Show = (line: string) => void

/** Which of a set is measured. */
export interface OwnTask {
  readonly name: string
  readonly part: Part
  /** A text that the names of the measured rows contain; '' for all. */
  readonly only: string
  /** Whether to ask only in the smallest workspace. */
  readonly quick: boolean
}

/** Resources of a workspace: those of the set up to 150, and a crowd. */
const [QUICK_SIZES, SIZES] = [[20], [20, 60, 150, 500, 2000]]
/** The workspaces in which commands are said: the smaller one, unless one names what only stands in the larger. */
const SAID_IN = [60, 150] as const
const BETTER = 0.12
/** The kinds of questions that have an answer, and the least share of right ones; null for none by itself. */
const LEAST: Readonly<Record<string, number | null>> = {
  note: null,
  languages: null,
  task: 0.95,
  card: 0.95,
  'follow-same': 0.85,
  'follow-beside': 0.85,
  'follow-other': 0.85,
}
const DIRECT = ['note', 'task', 'card', 'languages']
const [ANSWERABLE, KINDS] = [Object.keys(LEAST), [...Object.keys(LEAST), 'foreign']]
const LANGUAGES = ['en', 'de', 'fr', 'es']

const nameKind = (set: string, kind: string) => `${set} questions: ${kind}`
/** The names of all rows of questions, by which they are picked. */
export const nameQuestions = (set: string): string => KINDS.map((kind) => nameKind(set, kind)).join('\n')

const ofPart = <T extends { readonly part?: Part }>(all: readonly T[], part: Part): T[] =>
  all.filter((one) => one.part === undefined || one.part === part)

interface Bar {
  readonly target: string
  /** Whether a share reaches it, beside that of the baseline; null without a target. */
  readonly reaches: ((share: number, peer: number) => boolean) | null
}
const atLeast = (least: number | null): Bar =>
  least === null ? { target: '', reaches: null } : { target: `≥ ${least}`, reaches: (share) => share >= least }
const atMost = (most: number): Bar => ({ target: `≤ ${most}`, reaches: (share) => share <= most })

/** A row with a share for each workspace; none if nothing was asked. */
function toRow(what: string, own: readonly Count[], peers: readonly Count[], { target, reaches }: Bar): Figure[] {
  if (own.every(({ of }) => of === 0)) return []
  const list = (counts: readonly Count[]) =>
    counts.map((count) => (count.of === 0 ? '–' : computeShare(count).toFixed(own.length > 1 ? 2 : 3))).join(' ')
  const measured = `${list(own)} of ${own.map(({ of }) => of).join(' ')} (baseline ${list(peers)})`
  const isReached = (count: Count, i: number) =>
    count.of === 0 || reaches?.(computeShare(count), computeShare(peers[i] ?? count))
  return [{ what, target, measured, reached: reaches && own.every(isReached) }]
}

interface Asked {
  readonly size: number
  readonly kind: string
  readonly own: Marked
  readonly peer: Marked
}
interface Marked {
  readonly right: boolean
  readonly grounded: boolean
}

export async function measureQuestions(set: OwnSet, task: OwnTask, show: Show): Promise<Figure[]> {
  const kinds = KINDS.filter((kind) => nameKind(task.name, kind).includes(task.only))
  const questions = ofPart(set.questions, task.part).filter(({ kind }) => kinds.includes(kind))
  const sizes = task.quick ? QUICK_SIZES : SIZES
  const world = await startWorld(set)
  const asked: Asked[] = []
  for (const size of sizes) {
    const own = pickSize(set, size)
    const all = merge(own, makeCrowd(set, size - own.notes.length - own.tasks.length - own.cards.length))
    const workspace = await world.open(all)
    const askPeer = createBaseline(all)
    for (const question of questions.filter((one) => one.size <= size)) {
      const { kind, of, before = [], ask } = question
      // Nothing is right for a foreign question but to be unsure.
      const mark = (grounded: boolean, texts: readonly string[]) => ({
        grounded,
        right: of.length === 0 ? !grounded : isRight(question, texts.join('\n'), set.today),
      })
      const talk = beginTalk(workspace.post, 'read', { time_zone: set.time_zone })
      for (const turn of before) await talk(turn)
      const { text, quotes, grounded } = await talk(ask)
      const peer = askPeer(ask, before.at(-1))
      const marked = mark(grounded, [text, ...quotes.map(({ quote }) => quote)])
      asked.push({ size, kind, own: marked, peer: mark(peer.grounded, [peer.text]) })
      if (!marked.right) show(`${size}, ${kind}${grounded ? ', sure' : ''}: ${[...before, ask].join(' / ')} → ${text}`)
    }
  }
  await world.close()
  const row = (what: string, of: readonly string[], bar: Bar, is = ({ right }: Marked) => right) => {
    const count = (who: 'own' | 'peer') =>
      sizes.map((size) => {
        const ones = asked.filter((one) => one.size === size && of.includes(one.kind))
        return { right: ones.filter((one) => is(one[who])).length, of: ones.length }
      })
    return toRow(`${task.name}, ${what}, in ${sizes.join(', ')}`, count('own'), count('peer'), bar)
  }
  const isGrounded = ({ grounded }: Marked) => grounded
  return [
    ...row('direct questions: right', DIRECT, {
      target: `≥ baseline + ${BETTER}`,
      reaches: (share, peer) => share >= peer + BETTER,
    }),
    ...ANSWERABLE.flatMap((kind) => row(`${kind}: right`, [kind], atLeast(LEAST[kind] ?? null))),
    ...row('wrong, and grounded', ANSWERABLE, atMost(0.04), ({ right, grounded }) => !right && grounded),
    ...row('answerable, and grounded', ANSWERABLE, atLeast(0.9), isGrounded),
    ...row('foreign, and grounded', ['foreign'], atMost(0.08), isGrounded),
  ]
}

export async function measureCommands(set: OwnSet, task: OwnTask, show: Show): Promise<Figure[]> {
  const commands = ofPart(set.commands, task.part)
  const [own, peers] = [await sayAll(set, commands, obey), await sayAll(set, commands, obeyPatterns)]
  for (const { command, right, wrote, text, changed } of own) {
    const turns = [...(command.before ?? []), command.say].join(' / ')
    const what = `${command.kind}, ${command.language}${wrote ? ', wrote' : ''}: ${turns}`
    if (!right) show(`${what} → ${text} ${JSON.stringify(changed)}`)
  }
  const row = (what: string, isOf: (one: Command) => boolean, bar: Bar, is: (one: Outcome) => boolean) => {
    const count = (outcomes: readonly Said[]) => {
      const ones = outcomes.filter(({ command }) => isOf(command))
      return [{ right: ones.filter(is).length, of: ones.length }]
    }
    return toRow(`${task.name}, ${what}`, count(own), count(peers), bar)
  }
  const asks = ({ does }: Command) => does !== null
  return [
    ...LANGUAGES.flatMap((code) =>
      row(
        `commands, ${code}: right`,
        (one) => asks(one) && one.language === code,
        atLeast(0.9),
        ({ right }) => right,
      ),
    ),
    ...row('commands: wrong writes', asks, atMost(0), ({ right, wrote }) => wrote && !right),
    ...row(
      'texts that ask for nothing: writes',
      (one) => !asks(one),
      atMost(0),
      ({ wrote }) => wrote,
    ),
  ]
}

type Said = Outcome & { readonly command: Command }

/** Says each in a workspace that none before it has changed. */
async function sayAll(set: OwnSet, commands: readonly Command[], say: typeof obey): Promise<Said[]> {
  const world = await startWorld(set)
  const outcomes: Said[] = []
  const { notes, tasks } = set
  const late = [...notes, ...tasks].filter(({ size }) => size > SAID_IN[0]).map(({ key }) => key)
  const isLate = commands.some(({ does }) => Object.values(does ?? {}).some((one) => late.includes(String(one))))
  const resources = pickSize(set, SAID_IN[isLate ? 1 : 0])
  let workspace = await world.open(resources)
  for (const command of commands) {
    const outcome = await say(workspace, set, command)
    outcomes.push({ ...outcome, command })
    if (outcome.wrote || command.before) workspace = await world.open(resources)
  }
  await world.close()
  return outcomes
}
