import type { Session } from '../../db/database'
import type { NoteRow } from '../store'
import type { NoteWriteHook } from '../writer'
import { listLinkTargets, mayHaveLinks } from './body-links'
import { deleteFormerNames, hasFormerName } from './former-store'
import { listChangedNames, listNoteNames, matchFirst, resolveTargets, toFolderKey, toTargetQuery } from './names'
import {
  addLinks,
  addNames,
  adjustLinksIn,
  adjustUnresolved,
  deleteLinks,
  deleteNames,
  getLinkCounts,
  type LinkGroup,
  type LinkTarget,
  listLinkedNotes,
  listLinkGroups,
  recountLinksIn,
  recountLinksOut,
  redirectLinks,
} from './store'

/**
 * Keeps the links of living notes, the notes that they resolve to, and the counts of links. A note in the trash has no
 * links, and no link resolves to it. Throws too_many_links.
 */
export const linkHook: NoteWriteHook = {
  async afterWrite(session, old, note) {
    await updateLinks(session, toLiving(old), toLiving(note), note)
    const counts = await getLinkCounts(session, note.key)
    return { note: { ...note, ...counts } }
  },
  async beforeErase(session, note) {
    await updateLinks(session, toLiving(note), null, note)
    return 0
  },
}

function toLiving(note: NoteRow | null): NoteRow | null {
  return note?.deleted_at === null ? note : null
}

/** Updates names first, since the links of this note and of others are resolved by the new names. */
async function updateLinks(session: Session, old: NoteRow | null, now: NoteRow | null, note: NoteRow): Promise<void> {
  const folder = toFolderKey(note.folder)
  const renamed = new Set(listChangedNames(old, now))
  if (old && renamed.size > 0) {
    // During a rename, the stored names may differ from those of `old`.
    const deleted = await deleteNames(session, note.key)
    if (!now) deleted.push(...(await deleteFormerNames(session, note.key)))
    const kept = new Set(now && listNoteNames(now).map(({ key }) => key))
    for (const name of deleted) if (!kept.has(name)) renamed.add(name)
  }
  if (now && renamed.size > 0) await addNames(session, note, folder, listNoteNames(now))
  const [before, after] = [old?.body ?? '', now?.body ?? '']
  const moved = before !== after || (old !== null && toFolderKey(old.folder) !== folder)
  // Most notes have no links before or after.
  if (moved && (mayHaveLinks(before) || mayHaveLinks(after))) {
    const targets = listLinkTargets(after, folder)
    await replaceLinks(session, { key: note.key, folder, targets, isNew: old === null })
  }
  await resolveLinksAgain(session, [...renamed], note.key)
}

interface LinksOfNote {
  readonly key: number
  readonly folder: string
  readonly targets: readonly LinkTarget[]
  /** True: the note is new or was in the trash, so it has no links to delete. */
  readonly isNew: boolean
}

export async function replaceLinks(session: Session, { key, folder, targets, isNew }: LinksOfNote): Promise<void> {
  const before = new Set(isNew ? [] : await listLinkedNotes(session, key))
  if (!isNew) await deleteLinks(session, key)
  await addLinks(session, key, folder, targets)
  const after = new Set(await listLinkedNotes(session, key))
  await adjustLinksIn(session, [...after.difference(before)], 1, key)
  await adjustLinksIn(session, [...before.difference(after)], -1, key)
  await recountLinksOut(session, key)
}

/**
 * Resolves every link by one of these names again, and updates the counts of links. A link that a rename has still to
 * rewrite keeps its note.
 * @param writtenNote the key of the note that is being written; 0 for none
 */
export async function resolveLinksAgain(
  session: Session,
  names: readonly string[],
  writtenNote: number,
): Promise<void> {
  if (names.length === 0) return
  const targets = [...new Set(names.flatMap(listSpellings))]
  const groups = await listLinkGroups(session, targets)
  const hits = await resolveTargets(session, groups.map(toTargetQuery))
  const redirects: LinkRedirect[] = []
  for (const [i, group] of groups.entries()) {
    const to = hits[i]?.key ?? null
    if (to !== group.resolved && !(await isPending(session, group))) redirects.push({ group, to })
  }
  await redirectGroups(session, redirects, writtenNote, Number.MAX_SAFE_INTEGER)
}

/**
 * Resolves again at most `limit` links that resolved to a note by these former names. Returns whether there may be
 * more.
 */
export async function releaseLinks(
  session: Session,
  key: number,
  targets: readonly string[],
  limit: number,
): Promise<boolean> {
  const groups = (await listLinkGroups(session, targets)).filter(({ resolved }) => resolved === key)
  const hits = await matchFirst(session, groups.map(toTargetQuery))
  const redirects = groups.map((group, i) => ({ group, to: hits[i]?.key ?? null }))
  const changed = redirects.filter(({ to }) => to !== key)
  return redirectGroups(session, changed, 0, limit)
}

/** Lists how links spell a name: a path also as what is left of it below each of its folders. */
function listSpellings(name: string): string[] {
  const levels = name.split('/')
  return [name, ...levels.slice(1, -1).map((_, i) => levels.slice(i + 1).join('/'))]
}

interface LinkRedirect {
  readonly group: LinkGroup
  readonly to: number | null
}

/** Redirects at most `limit` links, and updates the counts of links. Returns whether there may be more. */
async function redirectGroups(
  session: Session,
  redirects: readonly LinkRedirect[],
  writtenNote: number,
  limit: number,
): Promise<boolean> {
  const sources = new Map<number, number>()
  const notes = new Set<number>()
  let remaining = limit
  for (const { group, to } of redirects) {
    if (remaining === 0) break
    const added = countUnresolvedChange(group, to)
    const redirected = await redirectLinks(session, group, to, remaining)
    for (const source of redirected) sources.set(source, (sources.get(source) ?? 0) + added)
    for (const key of [group.resolved, to]) if (key !== null) notes.add(key)
    remaining -= redirected.length
  }
  const byChange = Map.groupBy(sources.keys(), (source) => sources.get(source) ?? 0)
  for (const [added, changed] of byChange) await adjustUnresolved(session, changed, added, writtenNote)
  await recountLinksIn(session, [...notes], writtenNote)
  return remaining === 0
}

/** Whether the links of a group resolve to their note by a former name, so a rename has still to rewrite them. */
function isPending(session: Session, { target_key, folder_key, resolved }: LinkGroup): Promise<boolean> {
  const names = [target_key, `${folder_key}/${target_key}`]
  return resolved === null ? Promise.resolve(false) : hasFormerName(session, resolved, names)
}

function countUnresolvedChange({ resolved, has_file }: LinkGroup, to: number | null): number {
  if (has_file) return 0
  return Number(to === null) - Number(resolved === null)
}
