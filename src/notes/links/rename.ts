import type { Session } from '../../db/database'
import { Refusal } from '../../http/problem'
import { BODY_BYTES, withChanges } from '../note'
import { getNote, type NoteRow } from '../store'
import { titleKey } from '../title-key'
import type { Writer } from '../writer'
import { folderKey, namesOf, pathOf } from './names'
import { firstOf, type Hit } from './resolution'
import { byId, isSpellable, rewriteLinks, type Spelling } from './rewrite'
import { type LinkTo, linksTo, putNames, resolve, type Wanted } from './store'

/** Notes that one rename may rewrite. */
export const MAX_REWRITTEN = 5000

/**
 * Stores `next`, and where its title or folder is another than that of `old`, spells the links that led to it anew, so
 * that they lead there still. `session.db` must be a transaction. Throws rewrite_impossible.
 */
export type Rename = (session: Session, old: NoteRow, next: NoteRow) => Promise<{ note: NoteRow; rewritten: number }>

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly writer: Writer
}

export function createRename({ now, writer }: Deps): Rename {
  async function rewriteOthers(session: Session, plan: Plan, safe: Spelling): Promise<number> {
    let rewritten = 0
    for (const [id, spellings] of plan) {
      const source = await getNote(session.db, session.workspace.id, id)
      const changed = source && withChanges(source, { body: rewrittenBody(source, spellings, safe) }, now())
      if (!changed) continue
      await writer.save(session, source, changed)
      rewritten += 1
    }
    return rewritten
  }

  return async (session, old, next) => {
    if (next.title === old.title && next.folder === old.folder)
      return { note: await writer.save(session, old, next), rewritten: 0 }
    const plan = await planRewrite(session, old, next)
    if (plan.size > MAX_REWRITTEN)
      throw impossible(`${plan.size} notes link to this one; a rename rewrites at most ${MAX_REWRITTEN}.`)
    const safe = byId(next.id, next.title)
    const own = plan.get(next.id)
    plan.delete(next.id)
    // The others first: when the note itself is saved, none of their links is left to be resolved again.
    const others = await rewriteOthers(session, plan, safe)
    // A body that comes with the new title is stored as it was sent.
    const revised =
      own && next.body === old.body
        ? withChanges(next, { body: rewrittenBody(next, own, safe) }, next.updated_at)
        : null
    const note = await writer.save(session, old, revised ? { ...revised, revision: next.revision } : next)
    return { note, rewritten: others + (revised ? 1 : 0) }
  }
}

/** By id of the linking note: its targets that must be spelled anew, as titles are compared. */
type Plan = Map<string, Map<string, Spelling>>

/** Looks where the links lead before and after the note has its new names, which it has from here on. */
async function planRewrite({ db, workspace }: Session, old: NoteRow, next: NoteRow): Promise<Plan> {
  const links = await linksTo(db, workspace.id, next.key)
  const hits = async (wanted: Wanted[]) => (await resolve(db, workspace.id, wanted)).map(firstOf)
  const groups = [...new Map(links.map((link) => [groupOf(link, next), link])).values()]
  const before = await hits(groups.map(({ target_key, folder_key }) => ({ target: target_key, folder: folder_key })))
  await putNames(db, workspace.id, next, folderKey(next.folder), namesOf(next))
  const folders = groups.map((link) => (link.source === next.key ? folderKey(next.folder) : link.folder_key))
  const after = await hits(groups.map(({ target_key }, i) => ({ target: target_key, folder: folders[i] ?? '' })))
  const targets = before.map((hit) => (hit?.step === 'by_path' ? pathOf(next) : next.title))
  const anew = await hits(targets.map((target, i) => ({ target: titleKey(target), folder: folders[i] ?? '' })))
  const spellings = new Map<string, Spelling | null>()
  groups.forEach((link, i) => {
    const stays = after[i]?.key === next.key && isUntouched(before[i] ?? null, old, next)
    const target = targets[i] ?? next.title
    const leadsThere = anew[i]?.key === next.key && isSpellable(target)
    spellings.set(
      groupOf(link, next),
      stays ? null : leadsThere ? { target, display: null } : byId(next.id, next.title),
    )
  })
  return planOf(links, (link) => spellings.get(groupOf(link, next)) ?? null)
}

/** Links that are spelled alike from one folder fare alike; the note's own move with it. */
function groupOf({ source, target_key, folder_key }: LinkTo, { key }: NoteRow): string {
  return JSON.stringify([source === key, folder_key, target_key])
}

/** Whether a link says nothing of what has changed: an id or an alias never does, a title not of the folder. */
function isUntouched(hit: Hit | null, old: NoteRow, next: NoteRow): boolean {
  if (hit?.step === 'by_id' || hit?.step === 'by_alias') return true
  return hit?.step !== 'by_path' && old.title === next.title
}

function planOf(links: readonly LinkTo[], spellingOf: (link: LinkTo) => Spelling | null): Plan {
  const plan: Plan = new Map()
  for (const link of links) {
    const spelling = spellingOf(link)
    if (spelling)
      plan.set(link.source_id, (plan.get(link.source_id) ?? new Map<string, Spelling>()).set(link.target_key, spelling))
  }
  return plan
}

function rewrittenBody(note: NoteRow, spellings: ReadonlyMap<string, Spelling>, safe: Spelling): string {
  const body = rewriteLinks(note.body, spellings, safe)
  if (body === null)
    throw impossible(`The links of note ${note.id} cannot be spelled anew without changing what else it says.`)
  if (Buffer.byteLength(body) > BODY_BYTES) throw impossible(`Note ${note.id} would outgrow ${BODY_BYTES} bytes.`)
  return body
}

function impossible(detail: string): Refusal {
  return new Refusal('rewrite_impossible', `${detail} Nothing was changed.`)
}
