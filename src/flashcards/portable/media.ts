import type { Session } from '../../db/database'
import type { Portable } from '../../db/portable'
import { invalid, Refusal } from '../../http/problem'
import type { WorkspaceUsage } from '../../http/schema'
import { createShape } from '../../http/shape'
import { writeInstant } from '../../http/values'
import { checkedMediaName } from '../media/media-name'
import { getBlob, getMedia, type MediaRow, mediaBytes } from '../media/store'
import { MEDIA_LIMITS, type MediaWriter, sha256Of } from '../media/writer'
import { PortableMedia } from './schema'
import { getMediaById, mediaFrom } from './store'
import { readStamps } from './values'

/** Names that are read at a time. */
const READ = 500

const toShape = createShape(PortableMedia, 'the medium')

interface Deps {
  readonly mediaWriter: MediaWriter
  /** What the workspace holds. */
  readonly usage: (session: Session) => Promise<Pick<WorkspaceUsage, 'size_bytes'>>
}

/** Media, whose bytes are files of the archive: what they are is read from the bytes again. */
export function portableMedia({ mediaWriter, usage }: Deps): Portable {
  async function requireRoom(session: Session): Promise<void> {
    const { all } = MEDIA_LIMITS[session.workspace.kind]
    // A workspace that is smaller than that holds no more media either: only others are counted.
    if ((await usage(session)).size_bytes <= all) return
    if ((await mediaBytes(session.db, session.workspace.id)) > all)
      throw new Refusal('quota_exceeded', `The media of this workspace may have at most ${all} bytes together.`)
  }

  return {
    type: 'media',

    async *items(db, workspace) {
      for await (const row of allMedia(db, workspace)) yield told(row)
    },

    async *files(db, workspace) {
      for await (const { name, sha256 } of allMedia(db, workspace)) {
        const content = await getBlob(db, workspace, sha256)
        if (!content) throw new Error(`medium ${name} has no bytes`)
        yield { name: `media/${name}`, content }
      }
    },

    async merge(session, item, bytes) {
      const medium = toShape(item)
      const { db, workspace } = session
      const { id, revision, sha256 } = medium
      const name = checkedMediaName(medium.name)
      const old = await getMediaById(db, workspace.id, id)
      if (old && old.revision >= revision) return 'unchanged'
      const holder = await getMedia(db, workspace.id, name)
      if (old?.name !== holder?.name)
        throw new Refusal('conflict', 'The name is that of another medium here.', { existing_id: holder?.id ?? id })
      requireBytes(bytes, sha256, MEDIA_LIMITS[workspace.kind].file)
      await mediaWriter.putStored(session, { id, revision, ...readStamps(medium), name, sha256, bytes }, old)
      await requireRoom(session)
      return old ? 'updated' : 'created'
    },
  }
}

async function* allMedia(...[db, workspace]: Parameters<Portable['items']>): AsyncGenerator<MediaRow> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: MediaRow[] = await mediaFrom(db, workspace, after, READ)
    yield* rows
    after = rows.length < READ ? undefined : rows.at(-1)?.name
  }
}

/** Throws invalid_request, too_large. */
function requireBytes(bytes: Uint8Array | null, sha256: string, most: number): asserts bytes is Uint8Array {
  if (!bytes) throw invalid('/name', 'missing_file', 'the archive holds no file of this medium, or a broken one')
  if (bytes.length > most) throw new Refusal('too_large', `A medium may have at most ${most} bytes.`)
  if (sha256Of(bytes) !== sha256) throw invalid('/sha256', 'invalid_value', 'sha256 must be that of the bytes')
}

function told({ id, revision, created_at, updated_at, name, sha256 }: MediaRow): PortableMedia {
  const stamps = { created_at: writeInstant(created_at), updated_at: writeInstant(updated_at) }
  return { id, revision, ...stamps, name, sha256 }
}
