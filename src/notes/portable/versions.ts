import type { Session } from '../../db/database'
import type { Reserve } from '../../db/journal'
import type { Merged, Portable } from '../../db/portable'
import { invalid, Refusal } from '../../http/problem'
import { createShape } from '../../http/shape'
import { readInstant, writeInstant } from '../../http/values'
import { checkBody, checkedFolder, checkedProperties, checkedTags, checkTitle } from '../note'
import { pack, unpack } from '../revisions/packed'
import { checkLabel, MAX_LABELS } from '../revisions/service'
import { countLabels, putBody } from '../revisions/store'
import { PortableVersion } from './schema'
import {
  getBody,
  getEarlier,
  getNeighbour,
  listVersionsAfter,
  type Neighbour,
  placeOf,
  putLabel,
  putVersion,
  type StoredVersion,
  setNewest,
} from './store'

/** Versions that are read at a time, if they are small. */
const READ = 100

const toShape = createShape(PortableVersion, 'the version')

type Version = PortableVersion & { readonly at: number }

/**
 * The history of notes. A version that is here stays, whatever its content: of two histories that went apart, the notes
 * of the one that is here are kept, and of the other what fits in between.
 */
export function portableVersions(reserve: Reserve): Portable {
  return {
    type: 'note_revision',

    async *items(db, workspace) {
      for (let after: { id: string; place: number } | null = { id: '', place: 0 }; after; ) {
        const rows: StoredVersion[] = await listVersionsAfter(db, workspace, after, READ)
        for (const row of rows) yield told(row)
        const last = rows.at(-1)
        after = last ? { id: last.note_id, place: placeOf(last) } : null
      }
    },

    async merge(session, item) {
      const version = checked(toShape(item))
      const { db, workspace } = session
      const here = await getNeighbour(db, workspace.id, version.note_id, version.last_revision)
      if (!here) throw invalid('/note_id', 'unknown_note', 'note_id must be the id of a note')
      if (version.content === null) return mergeNewest(session, version, here, reserve)
      if (here.revision === version.revision) return mergeLabel(session, version, here, reserve)
      const lastHere = here.revision === null ? 0 : (here.last_revision ?? Number.POSITIVE_INFINITY)
      if (lastHere >= version.revision)
        throw new Refusal('conflict', 'The note has another version of the same revisions.')
      return insert(session, { ...version, content: version.content }, here.key, reserve)
    },
  }
}

async function mergeLabel(session: Session, version: Version, here: Neighbour, reserve: Reserve): Promise<Merged> {
  const { label, label_revision, revision } = version
  if (label_revision <= (here.label_revision ?? 1)) return 'unchanged'
  if (label !== null && here.label === null) await refuseTooManyLabels(session, here.key)
  await putLabel(session.db, session.workspace.id, { key: here.key, revision, label, label_revision })
  await reserve(session, Buffer.byteLength(label ?? '') - Buffer.byteLength(here.label ?? ''))
  return 'updated'
}

/**
 * A note that has just been made has its content since the revision that it came with, and its body too. Here is since
 * when it really has.
 */
async function mergeNewest(session: Session, version: Version, here: Neighbour, reserve: Reserve): Promise<Merged> {
  const { db, workspace } = session
  const since = await sinceWhen(session, version, here)
  if (since === null)
    return here.revision === version.revision ? mergeLabel(session, version, here, reserve) : 'unchanged'
  await setNewest(db, workspace.id, here.key, { ...since, updated_at: version.at })
  await mergeLabel(session, version, here, reserve)
  return 'updated'
}

async function insert(
  session: Session,
  version: Version & { readonly content: NonNullable<PortableVersion['content']> },
  key: number,
  reserve: Reserve,
): Promise<Merged> {
  const { db, workspace } = session
  const { revision, last_revision, label, label_revision, content } = version
  if (label !== null) await refuseTooManyLabels(session, key)
  const { title, folder } = content
  const tags = JSON.stringify(checkedTags(content.tags))
  const properties = pack(checkedProperties(content.properties))
  const [body_revision, bodyBytes] = await place(session, key, version.body_revision, content.body)
  const rest = { label, label_revision, title, folder, tags, properties, body_revision }
  await putVersion(db, workspace.id, { key, revision, last_revision, updated_at: version.at, ...rest })
  const texts = [label ?? '', title, folder ?? '', tags].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  await reserve(session, texts + properties.length + bodyBytes)
  return 'created'
}

/** The revisions that made the content and the body of a note that has just been made; null where nothing is to be set right. */
async function sinceWhen(
  { db, workspace }: Session,
  { revision, last_revision, body_revision }: Version,
  here: Neighbour,
) {
  const { key, note_revision } = here
  const isJustMade = here.revision === note_revision && last_revision === note_revision
  const earlier = isJustMade ? await getEarlier(db, workspace.id, key, note_revision) : null
  if (!isJustMade || (earlier && earlier.last_revision >= revision)) return null
  const isOwn = here.body_revision === note_revision && !(await getBody(db, workspace.id, key, body_revision))
  const since = { revision, body_revision: isOwn ? body_revision : (here.body_revision ?? note_revision) }
  return since.revision === here.revision && since.body_revision === here.body_revision ? null : since
}

/** Keeps a body, unless it is kept already: versions share one. Answers under which revision, and how many bytes more. */
async function place(
  { db, workspace }: Session,
  key: number,
  revision: number,
  body: string,
): Promise<[number, number]> {
  const kept = await getBody(db, workspace.id, key, revision)
  if (kept && (kept.packed ? unpack(kept.packed) : kept.text) === body) return [revision, 0]
  if (kept) throw new Refusal('conflict', 'The note has another body of the same revision.')
  const packed = pack(body)
  await putBody(db, key, revision, packed)
  return [revision, packed.length]
}

async function refuseTooManyLabels({ db, workspace }: Session, key: number): Promise<void> {
  if ((await countLabels(db, workspace.id, key)) >= MAX_LABELS)
    throw new Refusal('conflict', `A note may have ${MAX_LABELS} labelled revisions.`)
}

/** Throws invalid_request. */
function checked(version: PortableVersion): Version {
  const { label, content, revision, last_revision, body_revision } = version
  if (last_revision < revision || body_revision > revision)
    throw invalid('/revision', 'invalid_value', 'revision must lie between body_revision and last_revision')
  if (label !== null) checkLabel(label)
  if (content) {
    checkTitle(content.title)
    checkedFolder(content.folder, '/content/folder')
    checkBody(content.body)
  }
  return { ...version, at: readInstant(version.updated_at, '/updated_at') }
}

function told(row: StoredVersion): PortableVersion {
  const { title, folder, tags, properties, packed_body, present_body } = row
  return {
    note_id: row.note_id,
    revision: row.revision,
    last_revision: row.last_revision,
    updated_at: writeInstant(row.updated_at),
    label: row.label,
    label_revision: row.label_revision,
    body_revision: row.body_revision,
    content:
      title === null || tags === null || properties === null
        ? null
        : {
            title,
            folder,
            tags: JSON.parse(tags),
            properties: JSON.parse(unpack(properties)),
            body: present_body ?? (packed_body ? unpack(packed_body) : ''),
          },
  }
}
