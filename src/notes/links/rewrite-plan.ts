import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import { titleKey } from '../../http/title-key'
import type { NoteRow } from '../store'
import { folderKey, type Name, namesOf, pathOf } from './names'
import { firstOf, type Hit } from './resolution'
import { byId, isSpellable, type Respelling } from './rewrite'
import { addNames, dropNames, type LinkTo, linksTo, resolve, type Wanted } from './store'

/** So many links or notes are looked at before other requests have their turn. */
const PER_TURN = 500

/** A note that gets another title or folder, without what does not decide where links to it lead. */
export interface Move {
  readonly key: number
  readonly id: string
  readonly before: Place
  readonly after: Place
  /** What it answers to from now on. */
  readonly names: readonly Name[]
}
type Place = Pick<NoteRow, 'title' | 'folder'>

/** By id of the linking note: its targets that must be spelled anew, as titles are compared. */
export type Plan = Map<string, Map<string, Respelling>>

/** Links that are spelled alike and stand in one folder, before and after: they fare alike. */
interface Group {
  readonly target: string
  readonly folderBefore: string
  readonly folderAfter: string
}

export function moveOf(old: NoteRow, next: NoteRow): Move {
  const place = ({ title, folder }: NoteRow) => ({ title, folder })
  return { key: next.key, id: next.id, before: place(old), after: place(next), names: namesOf(next) }
}

/** Looks where the links lead before and after the notes have their new names, which they have from here on. */
export async function planRewrite(session: Session, moves: readonly Move[]): Promise<Plan> {
  const { db, workspace } = session
  const moved = new Map(moves.map((move) => [move.key, move]))
  const links = await inTurns([...moved.keys()], (keys) => linksTo(db, workspace.id, keys))
  const idOf = (link: LinkTo) => {
    const source = moved.get(link.source)
    const folderAfter = source ? folderKey(source.after.folder) : link.folder_key
    return { target: link.target_key, folderBefore: link.folder_key, folderAfter } satisfies Group
  }
  const groups = [...new Map(links.map(idOf).map((group) => [JSON.stringify(group), group])).values()]
  const before = await hits(session, groups, ({ target, folderBefore }) => ({ target, folder: folderBefore }))
  await inTurns(moves, async (some) => {
    for (const move of some) {
      await dropNames(db, workspace.id, move.key)
      await addNames(db, workspace.id, move, folderKey(move.after.folder), move.names)
    }
    return []
  })
  const spellings = await respell(session, groups, before, moved)
  return planOf(links, (link) => spellings.get(JSON.stringify(idOf(link))))
}

/** How the links of each group are to be spelled, by group; those not in it stay as they are. */
async function respell(
  session: Session,
  groups: readonly Group[],
  before: readonly (Hit | null)[],
  moved: ReadonlyMap<number, Move>,
): Promise<Map<string, Respelling>> {
  const after = await hits(session, groups, ({ target, folderAfter }) => ({ target, folder: folderAfter }))
  const led = groups.flatMap((group, i) => {
    const hit = before[i]
    const move = hit && moved.get(hit.key)
    if (!hit || !move || (after[i]?.key === move.key && isUntouched(hit, move))) return []
    return [{ group, move, target: hit.step === 'by_path' ? pathOf(move.after) : move.after.title }]
  })
  const anew = await hits(session, led, ({ group, target }) => ({
    target: titleKey(target),
    folder: group.folderAfter,
  }))
  return new Map(
    led.map(({ group, move, target }, i) => {
      const safe = byId(move.id, move.after.title)
      const leadsThere = anew[i]?.key === move.key && isSpellable(target)
      return [JSON.stringify(group), { wanted: leadsThere ? { target, display: null } : safe, safe }]
    }),
  )
}

/** Whether a link says nothing of what has changed: an id or an alias never does, a title not of the folder. */
function isUntouched({ step }: Hit, { before, after }: Move): boolean {
  if (step === 'by_id' || step === 'by_alias') return true
  return step !== 'by_path' && before.title === after.title
}

function planOf(links: readonly LinkTo[], spellingOf: (link: LinkTo) => Respelling | undefined): Plan {
  const plan: Plan = new Map()
  for (const link of links) {
    const spelling = spellingOf(link)
    if (!spelling) continue
    const ofSource = plan.get(link.source_id) ?? new Map<string, Respelling>()
    plan.set(link.source_id, ofSource.set(link.target_key, spelling))
  }
  return plan
}

function hits<Item>(
  { db, workspace }: Session,
  items: readonly Item[],
  wanted: (item: Item) => Wanted,
): Promise<(Hit | null)[]> {
  return inTurns(items, async (some) => (await resolve(db, workspace.id, some.map(wanted))).map(firstOf))
}

/** What `work` makes of the items, some at a time. The transaction is ours alone; readers need not stand still. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (some: readonly Item[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let i = 0; i < items.length; i += PER_TURN) {
    if (i > 0) await setImmediate()
    for (const result of await work(items.slice(i, i + PER_TURN))) results.push(result)
  }
  return results
}
