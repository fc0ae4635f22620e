/** Our own sets: questions in workspaces of several sizes, and commands; a plain baseline is asked the same beside. */
import { type Count, computeShare, type Figure } from '../figures'
import type { Part } from '../search/compare'
import { beginTalk } from './asker'
import { createBaseline } from './baseline'
import { type Outcome, obey, obeyPatterns } from './commands'
import { makeCrowd } from './crowd'
import { type Command, isRight, type OwnSet, pickSize, type Question } from './set'
import { join, startWorld } from './world'

/** Takes a line about what was missed. */
export type Show = (line: string) => void

/** Which of a set is measured. */
export interface OwnTask {
  readonly name: string
  readonly part: Part
  /** A text that the names of the measured rows contain; '' for all. */
  readonly only: string
  /** Only in the smallest workspace. */
  readonly quick: boolean
}

/** Resources of a workspace: those of the set up to 150, and a crowd. */
const [QUICK_SIZES, SIZES] = [[20], [20, 60, 150, 500, 2000]]
/** The workspace in which commands are said. */
const SAID_IN = 60
const [BETTER, MOST_WRONG, MOST_FOREIGN, LEAST_KEPT, LEAST_DONE] = [0.12, 0.04, 0.08, 0.9, 0.9]
/** The least share of right answers by kind; null for none by itself. */
const LEAST: Readonly<Record<string, number | null>> = {
  note: null,
  task: 0.95,
  card: 0.95,
  languages: null,
  'follow-same': 0.85,
  'follow-beside': 0.85,
  'follow-other': 0.85,
}
const DIRECT = ['note', 'task', 'card', 'languages']
export const KINDS = [...Object.keys(LEAST), 'foreign']
const LANGUAGES = ['en', 'de', 'fr', 'es']

interface Asked {
  readonly size: number
  readonly kind: string
  readonly right: boolean
  readonly grounded: boolean
  readonly peer: { readonly right: boolean; readonly grounded: boolean }
}

const nameKind = (name: string, kind: string) => `${name} questions: ${kind}`
/** The names of all rows of questions, by which they are picked. */
export const nameQuestions = (name: string): string => KINDS.map((kind) => nameKind(name, kind)).join('\n')

const ofPart = <T extends { readonly part?: Part }>(all: readonly T[], part: Part): T[] =>
  all.filter((one) => one.part === undefined || one.part === part)

export async function measureQuestions(set: OwnSet, task: OwnTask, show: Show): Promise<Figure[]> {
  const kinds = KINDS.filter((kind) => nameKind(task.name, kind).includes(task.only))
  const questions = ofPart(set.questions, task.part).filter(({ kind }) => kinds.includes(kind))
  const sizes = task.quick ? QUICK_SIZES : SIZES
  const world = await startWorld(set)
  const asked: Asked[] = []
  try {
    for (const size of sizes) {
      const own = pickSize(set, size)
      const crowd = makeCrowd(set, size - own.notes.length - own.tasks.length - own.cards.length)
      const workspace = await world.open(size, crowd)
      const askPeer = createBaseline(join(own, crowd))
      for (const question of questions.filter((one) => one.size <= size)) {
        const talk = beginTalk(workspace.post, 'read', { time_zone: set.time_zone })
        for (const turn of question.before ?? []) await talk(turn)
        const { text, quotes, grounded } = await talk(question.ask)
        const peer = askPeer(question.ask, question.before?.at(-1))
        const right = marks(question, [text, ...quotes.map(({ quote }) => quote)].join('\n'), set)
        asked.push({
          size,
          kind: question.kind,
          right,
          grounded,
          peer: { ...peer, right: marks(question, peer.text, set) },
        })
        if (!right) show(`${size}, ${question.kind}${grounded ? ', sure' : ''}: ${listTurns(question)} → ${text}`)
      }
    }
  } finally {
    await world.close()
  }
  return listRows(task.name, sizes, kinds, asked)
}

/** Nothing is right for a foreign question but to be unsure. */
const marks = (question: Question, answer: string, { today }: OwnSet) =>
  question.of.length > 0 && isRight(question, answer, today)
const listTurns = ({ before = [], ask }: Question) => [...before, ask].join(' / ')

function listRows(name: string, sizes: readonly number[], kinds: readonly string[], asked: readonly Asked[]): Figure[] {
  function row(what: string, of: readonly string[], is: (one: Asked['peer']) => boolean, bar: Bar): Figure[] {
    const all = sizes.map((size) => asked.filter((one) => one.size === size && of.includes(one.kind)))
    if (all.every(({ length }) => length === 0)) return []
    const share = (ones: readonly Asked['peer'][]): Count => ({ right: ones.filter(is).length, of: ones.length })
    const [own, peers] = [all.map(share), all.map((ones) => share(ones.map(({ peer }) => peer)))]
    const list = (counts: readonly Count[]) => counts.map((count) => computeShare(count).toFixed(2)).join(' ')
    const measured = `${list(own)} of ${own.map((count) => count.of).join(' ')} (baseline ${list(peers)})`
    const reached =
      bar.reaches && own.every((count, i) => bar.reaches?.(computeShare(count), computeShare(peers[i] ?? count)))
    return [
      { what: `${name}, ${what}, in ${sizes.join(', ')}`, target: bar.target, measured, reached: reached ?? null },
    ]
  }
  const answerable = Object.keys(LEAST)
  return [
    ...row('notes, tasks and cards: right', DIRECT, ({ right }) => right, {
      target: `≥ baseline + ${BETTER}`,
      reaches: (share, peer) => share >= peer + BETTER,
    }),
    ...kinds.flatMap((kind) =>
      kind === 'foreign' ? [] : row(`${kind}: right`, [kind], ({ right }) => right, atLeast(LEAST[kind] ?? null)),
    ),
    ...row('wrong, and grounded', answerable, ({ right, grounded }) => !right && grounded, atMost(MOST_WRONG)),
    ...row('answerable, and grounded', answerable, ({ grounded }) => grounded, atLeast(LEAST_KEPT)),
    ...row('foreign, and grounded', ['foreign'], ({ grounded }) => grounded, atMost(MOST_FOREIGN)),
  ]
}

interface Bar {
  readonly target: string
  readonly reaches: ((share: number, peer: number) => boolean) | null
}
const atLeast = (least: number | null): Bar =>
  least === null
    ? { target: '', reaches: null }
    : { target: `≥ ${least.toFixed(2)}`, reaches: (share) => share >= least }
const atMost = (most: number): Bar => ({ target: `≤ ${most.toFixed(2)}`, reaches: (share) => share <= most })

export async function measureCommands(set: OwnSet, task: OwnTask, show: Show): Promise<Figure[]> {
  const commands = ofPart(set.commands, task.part)
  const own = await sayAll(set, commands, obey)
  const peer = await sayAll(set, commands, obeyPatterns)
  commands.forEach((command, i) => {
    const { right, wrote, text, changed } = own[i] ?? MISSING
    const turns = [...(command.before ?? []), command.say].join(' / ')
    if (!right)
      show(
        `${command.kind}, ${command.language}${wrote ? ', WROTE' : ''}: ${turns} → ${text} ${JSON.stringify(changed)}`,
      )
  })
  const count = (
    outcomes: readonly Outcome[],
    of: (one: Command) => boolean,
    is: (one: Outcome) => boolean,
  ): Count => ({
    right: outcomes.filter((one, i) => of(commands[i] as Command) && is(one)).length,
    of: commands.filter(of).length,
  })
  function row(
    what: string,
    of: (one: Command) => boolean,
    is: (one: Outcome) => boolean,
    least: number | null,
  ): Figure {
    const [ours, theirs] = [count(own, of, is), count(peer, of, is)]
    const show = ({ right, of: all }: Count) =>
      least === null ? `${right} of ${all}` : computeShare({ right, of: all }).toFixed(3)
    return {
      what: `${task.name}, ${what}`,
      target: least === null ? '0' : `≥ ${least.toFixed(2)}`,
      measured: `${show(ours)}${least === null ? '' : ` (${ours.right} of ${ours.of})`} (baseline ${show(theirs)})`,
      reached: least === null ? ours.right === 0 : computeShare(ours) >= least,
    }
  }
  const asks = ({ does }: Command) => does !== null
  return [
    ...LANGUAGES.map((code) =>
      row(
        `commands, ${code}: right`,
        (one) => asks(one) && one.language === code,
        ({ right }) => right,
        LEAST_DONE,
      ),
    ),
    row('commands: wrong writes', asks, ({ right, wrote }) => wrote && !right, null),
    row(
      'texts that ask for nothing: writes',
      (one) => !asks(one),
      ({ wrote }) => wrote,
      null,
    ),
  ]
}

const MISSING: Outcome = { right: false, wrote: false, text: '', changed: [] }

/** Says each in a workspace that none before it has changed. */
async function sayAll(set: OwnSet, commands: readonly Command[], say: typeof obey): Promise<Outcome[]> {
  const world = await startWorld(set)
  const outcomes: Outcome[] = []
  try {
    let workspace = await world.open(SAID_IN)
    for (const command of commands) {
      const outcome = await say(workspace, set, command)
      outcomes.push(outcome)
      if (outcome.wrote || command.before) workspace = await world.open(SAID_IN)
    }
  } finally {
    await world.close()
  }
  return outcomes
}
