import type { Session } from '../../db/database'
import type { NoteRow } from '../store'
import type { NoteWriteHook } from '../writer'
import { listLinkTargets } from './body-links'
import { deleteFormerNames, hasFormerName } from './former-store'
import { listChangedNames, listNoteNames, pickFirstMatch, resolveTargets, toFolderKey } from './names'
import {
  addLinks,
  addNames,
  adjustLinksIn,
  adjustUnresolved,
  deleteLinks,
  deleteNames,
  getLinkCounts,
  type LinkGroup,
  listLinkedNotes,
  listLinkGroups,
  matchTargets,
  recountLinksIn,
  recountLinksOut,
  redirectLinks,
} from './store'

/**
 * Keeps the links of living notes: what they lead to, and how many there are. A note in the trash has no links and
 * is the target of none. Throws too_many_links.
 */
export const linkHook: NoteWriteHook = {
  async afterWrite(session, old, note) {
    await updateLinks(session, toLiving(old), toLiving(note), note)
    const counts = await getLinkCounts(session.db, session.workspace.id, note.key)
    return { note: { ...note, ...counts }, bytes: 0 }
  },
  async beforeErase(session, note) {
    await updateLinks(session, toLiving(note), null, note)
    return 0
  },
}

function toLiving(note: NoteRow | null): NoteRow | null {
  return note?.deleted_at === null ? note : null
}

/** Names first: the links, its own and those of others, are resolved by what is called so now. */
async function updateLinks(session: Session, old: NoteRow | null, now: NoteRow | null, note: NoteRow): Promise<void> {
  const { db, workspace } = session
  const folder = toFolderKey(note.folder)
  const renamed = new Set(listChangedNames(old, now))
  if (old && renamed.size > 0) {
    // While a rename is under way these may be others than those of `old`.
    const dropped = await deleteNames(db, workspace.id, note.key)
    if (!now) dropped.push(...(await deleteFormerNames(db, workspace.id, note.key)))
    const kept = new Set(now && listNoteNames(now).map(({ key }) => key))
    for (const name of dropped) if (!kept.has(name)) renamed.add(name)
  }
  if (now && renamed.size > 0) await addNames(db, workspace.id, note, folder, listNoteNames(now))
  const [before, after] = [old?.body ?? '', now?.body ?? '']
  const moved = before !== after || (old !== null && toFolderKey(old.folder) !== folder)
  // Most notes have no links, before and after.
  if (moved && (before.includes('[[') || after.includes('[['))) await putOwnLinks(session, old, note.key, folder, after)
  await resolveLinksAgain(session, [...renamed], note.key)
}

/** A note that is new, or was in the trash, has no links to delete. */
async function putOwnLinks(
  { db, workspace }: Session,
  old: NoteRow | null,
  own: number,
  folder: string,
  body: string,
): Promise<void> {
  const targets = listLinkTargets(body)
  const before = new Set(old && (await listLinkedNotes(db, workspace.id, own)))
  if (old) await deleteLinks(db, workspace.id, own)
  await addLinks(db, workspace.id, own, folder, targets)
  const after = new Set(await listLinkedNotes(db, workspace.id, own))
  await adjustLinksIn(db, workspace.id, [...after.difference(before)], 1, own)
  await adjustLinksIn(db, workspace.id, [...before.difference(after)], -1, own)
  await recountLinksOut(db, workspace.id, own)
}

/**
 * Resolves every link with one of these targets again, and counts what that changes. A link that a rename has yet to
 * rewrite stays with its note.
 * @param own the key of the note that is being written
 */
export async function resolveLinksAgain(session: Session, targets: readonly string[], own: number): Promise<void> {
  if (targets.length === 0) return
  const groups = await listLinkGroups(session.db, session.workspace.id, targets)
  const hits = await resolveTargets(session, groups.map(toTargetQuery))
  const changes: LinkRedirect[] = []
  for (const [i, group] of groups.entries()) {
    const to = hits[i]?.key ?? null
    if (to !== group.resolved && !(await isPending(session, group))) changes.push({ group, to })
  }
  await redirectGroups(session, changes, own, Number.MAX_SAFE_INTEGER)
}

/** Resolves links that led to a note by these former names again, at most `limit`; true: there may be more. */
export async function releaseLinks(
  session: Session,
  key: number,
  targets: readonly string[],
  limit: number,
): Promise<boolean> {
  const { db, workspace } = session
  const groups = (await listLinkGroups(db, workspace.id, targets)).filter(({ resolved }) => resolved === key)
  const answers = await matchTargets(db, workspace.id, groups.map(toTargetQuery))
  const changes = groups.map((group, i) => ({ group, to: pickFirstMatch(answers[i])?.key ?? null }))
  const others = changes.filter(({ to }) => to !== key)
  return redirectGroups(session, others, 0, limit)
}

interface LinkRedirect {
  readonly group: LinkGroup
  readonly to: number | null
}

/** True: `limit` links were redirected, and there may be more. */
async function redirectGroups(
  { db, workspace }: Session,
  changes: readonly LinkRedirect[],
  own: number,
  limit: number,
): Promise<boolean> {
  const sources = new Map<number, number>()
  const notes = new Set<number>()
  let left = limit
  for (const { group, to } of changes) {
    if (left === 0) break
    const more = countUnresolvedChange(group, to)
    const redirected = await redirectLinks(db, workspace.id, group, to, left)
    for (const source of redirected) sources.set(source, (sources.get(source) ?? 0) + more)
    for (const key of [group.resolved, to]) if (key !== null) notes.add(key)
    left -= redirected.length
  }
  const byChange = Map.groupBy(sources.keys(), (source) => sources.get(source) ?? 0)
  for (const [more, changed] of byChange) await adjustUnresolved(db, workspace.id, changed, more, own)
  await recountLinksIn(db, workspace.id, [...notes], own)
  return left === 0
}

function toTargetQuery({ target_key, folder_key }: LinkGroup) {
  return { target: target_key, folder: folder_key }
}

function isPending({ db, workspace }: Session, { target_key, folder_key, resolved }: LinkGroup): Promise<boolean> {
  const names = [target_key, `${folder_key}/${target_key}`]
  return resolved === null ? Promise.resolve(false) : hasFormerName(db, workspace.id, resolved, names)
}

function countUnresolvedChange({ resolved }: LinkGroup, to: number | null): number {
  return Number(to === null) - Number(resolved === null)
}
