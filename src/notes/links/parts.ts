import type { Context, Writer } from '../../db/database'
import type { Job } from '../../jobs/scheduler'
import { isFileTarget } from '../../lib/file-target'
import { listBlocks } from '../edit-blocks'
import { createHeadingFinder, listHeadingNames, readHeadingPath, toHeadingKey } from '../markdown/headings'
import { HeadingIds } from '../markdown/plain-text'
import { getNotesByKey, type NoteRow } from '../store'
import type { MissingKind } from './list-store'
import { toFolderKey, toTargetKey } from './names'
import {
  createCatchUpJob,
  findWithStaleLinks,
  hasLinksToParts,
  listMissingParts,
  listStaleLinks,
  markLinksToParts,
  recountUnresolved,
  type StaleLink,
  writeMissingParts,
} from './recount-store'

/** Which of the headings and blocks that links name are there: `Costs` and `^plan` of `[[Trip#Costs]] [[Trip#^plan]]`. */

interface Amount {
  readonly links: number
  /** Bytes of the notes that are read for them; more only if one note alone is larger. */
  readonly bytes: number
}

/** What is looked at in the transaction of a write, in about 5 ms; the job does the rest. */
const AT_ONCE: Amount = { links: 200, bytes: 128 * 1024 }
const PER_STEP: Amount = { links: 1000, bytes: 512 * 1024 }

/** Returns the form in which headings and blocks of links are compared. */
function toPartKey(part: string): string {
  return readHeadingPath(part)?.map(toHeadingKey).join('#') ?? part.toLowerCase()
}

/** Makes the function that tells whether a body has a heading or a block. */
function createPartFinder(body: string): (part: string) => boolean {
  const headings = listHeadingNames(body)
  const findHeading = createHeadingFinder(headings)
  const ids = new HeadingIds()
  // Other programs name a heading in a Markdown link so: `Trip.md#in-may`.
  const slugs = new Set(headings.map(([, text]) => ids.create(text)))
  const blocks = new Set(listBlocks(body).map(({ id }) => `^${id}`))
  return (part) => {
    const path = readHeadingPath(part)
    if (path === null) return blocks.has(part.toLowerCase())
    return path.length === 0 || findHeading(path) !== null || slugs.has(`h-${part.toLowerCase()}`)
  }
}

/** Marks the links of other notes to parts of a note, if it has other parts now. Returns whether there are such links. */
export async function markChangedParts(session: Writer, key: number, before: string, after: string): Promise<boolean> {
  if (before === after || !(await hasLinksToParts(session, key))) return false
  const listParts = (body: string) => JSON.stringify([listHeadingNames(body), listBlocks(body).map(({ id }) => id)])
  if (listParts(before) === listParts(after)) return false
  await markLinksToParts(session, key)
  return true
}

/**
 * Finds out for some of the marked links of a workspace which of their parts are missing, and counts the unresolved links
 * of their notes again. For `writtenNote` see adjustLinksIn.
 */
export async function checkParts(session: Writer, writtenNote: number, amount: Amount = AT_ONCE): Promise<void> {
  const links = takeFitting(await listStaleLinks(session, amount.links), amount.bytes)
  if (links.length === 0) return
  const keys = [...new Set(links.flatMap(({ leads_to }) => leads_to ?? []))]
  const notes = await getNotesByKey(session, keys, ['key', 'body'])
  const finders = new Map(notes.map(({ key, body }) => [key, createPartFinder(body)]))
  const found = links.map(({ source, target_key, leads_to, parts }) => {
    const has = finders.get(leads_to ?? 0)
    const missing = has ? (JSON.parse(parts) as string[]).filter((part) => !has(part)) : []
    const byKey = new Map(missing.toReversed().map((part) => [toPartKey(part), part]))
    return { source, target_key, missing: byKey.size === 0 ? null : [...byKey] }
  })
  await writeMissingParts(session, found)
  await recountUnresolved(session, [...new Set(links.map(({ source }) => source))], writtenNote)
}

/** Takes the links that lead to the first notes that fit, but to one at least. */
function takeFitting(links: readonly StaleLink[], bytes: number): StaleLink[] {
  const read = new Set<number | null>([null])
  let left = bytes
  return links.filter(({ leads_to, size_bytes }) => {
    if (!read.has(leads_to)) {
      if (size_bytes > left && read.size > 1) return false
      read.add(leads_to)
      left -= size_bytes
    }
    return true
  })
}

interface AnsweredLink {
  readonly target: string
  readonly heading: string | null
  readonly note_id: string | null
  readonly attachment_id: string | null
}

/** Makes the function that returns what the link of a note leads to and is not there. */
export async function createMissingFinder(session: Writer, { key, folder }: Pick<NoteRow, 'key' | 'folder'>) {
  const rows = await listMissingParts(session, key)
  const missing = new Set(
    rows.flatMap(({ target_key, missing }) =>
      (JSON.parse(missing) as [string, string][]).map(([part]) => JSON.stringify([target_key, part])),
    ),
  )
  const folderKey = toFolderKey(folder)
  return ({ target, heading, note_id, attachment_id }: AnsweredLink): MissingKind | null => {
    if (attachment_id !== null) return null
    if (note_id === null) return isFileTarget(target) ? 'attachment' : 'note'
    const place = heading === null ? '' : JSON.stringify([toTargetKey(target, folderKey), toPartKey(heading)])
    return !missing.has(place) ? null : heading?.startsWith('^') ? 'block' : 'heading'
  }
}

/** Creates the job that finds out what a write with many links to headings and blocks left open. */
export function createPartsJob({ db }: Pick<Context, 'db'>): Job {
  const check = (session: Writer) => checkParts(session, 0, PER_STEP)
  return createCatchUpJob(db, 'look for the headings and blocks of links', findWithStaleLinks, check)
}
