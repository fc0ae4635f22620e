import { type Static, t } from 'elysia'
import { Id, nullable, ToldRevision } from '../../http/schema'
import { Source } from '../schema'

/** Notes and their versions as an archive of the workspace tells of them: what is derived is left out. */

const INSTANT = t.String()
const TAGS = t.Array(t.String(), { maxItems: 64 })
const PROPERTIES = t.Record(t.String(), t.Unknown())
const DIGEST = t.String({ maxLength: 100 })

export const PortableNote = t.Object(
  {
    id: Id,
    revision: ToldRevision,
    created_at: INSTANT,
    updated_at: INSTANT,
    deleted_at: nullable(INSTANT),
    title: t.String(),
    folder: nullable(t.String()),
    tags: TAGS,
    pinned: t.Boolean(),
    archived_at: nullable(INSTANT),
    source: nullable(Source),
    daily_date: nullable(t.String()),
    /** Digests of its last import from a file: so the next one finds what was changed here, and what there. */
    imported: nullable(t.Object({ file_hash: DIGEST, note_hash: DIGEST }, { additionalProperties: false })),
    properties: PROPERTIES,
    body: t.String(),
  },
  { additionalProperties: false },
)

export const PortableVersion = t.Object(
  {
    note_id: Id,
    /** The revisions of the note that had this content, the first and the last. */
    revision: ToldRevision,
    last_revision: ToldRevision,
    updated_at: INSTANT,
    label: nullable(t.String()),
    /** Grows with each change of the label. */
    label_revision: ToldRevision,
    /** The revision that made the body. */
    body_revision: ToldRevision,
    /** Null: the note as it is. */
    content: nullable(
      t.Object(
        { title: t.String(), folder: nullable(t.String()), tags: TAGS, properties: PROPERTIES, body: t.String() },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

export type PortableNote = Static<typeof PortableNote>
export type PortableVersion = Static<typeof PortableVersion>
