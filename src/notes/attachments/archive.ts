import { type Static, Type as t } from '@sinclair/typebox'
import { type ArchivedType, type ArchiveFile, readPages } from '../../archive/archived-type'
import { type ByteSource, readBlob } from '../../blobs/blob'
import type { StagingProgress } from '../../blobs/staging'
import type { Reader, Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { writeStamps } from '../../http/resource'
import { ArchivedRevision, closed } from '../../http/schema'
import { createValidator } from '../../http/validation'
import { readStamps } from '../../http/values'
import { toSafeFolder } from '../file-name'
import { mayHaveLinks } from '../links/body-links'
import { checkFolder } from '../note'
import { Attachment } from './attachments'
import { type AttachmentContext, listFileLinks } from './file-links'
import { makeSafeName } from './names'
import { MAX_TARGETS, resolveFiles } from './nearest'
import { type AttachmentRow, attachmentTable, getAttachmentByPath, listAttachments, listContents } from './store'
import { ATTACHMENT_LIMITS } from './writer'

/** Rows that are read at a time, without their bytes. */
const ROWS_PER_READ = 500

const { content_type, sha256, size_bytes, ...stored } = Attachment.properties

const AttachmentLine = t.Object(
  {
    ...stored,
    revision: ArchivedRevision,
    /** The SHA-256 of the bytes, by which the archive names the file that has them. */
    file: t.String({ pattern: '^[0-9a-f]{64}$' }),
  },
  closed,
)
type AttachmentLine = Static<typeof AttachmentLine>

const readLine = createValidator(AttachmentLine, 'the attachment')

/** The bytes are files of the archive, each content once. */
export function createArchivedAttachments({ attachmentWriter: writer, blobs }: AttachmentContext): ArchivedType {
  return {
    type: 'attachment',

    async *items(reader) {
      for await (const row of readAttachments(reader)) yield toLine(row)
    },

    async *files(reader) {
      const list = (after: string) => listContents(reader, after, ROWS_PER_READ)
      for await (const hashes of readPages('', list, (hash) => hash))
        for (const hash of hashes) yield { name: `attachment/${hash}`, content: readBlob(reader, hash) }
    },

    async merge(session, item, bytes, earlier) {
      const { file, ...line } = checkLine(readLine(item))
      const old = await attachmentTable.get(session, line.id)
      if (old && old.revision >= line.revision) return 'unchanged'
      const holder = await getAttachmentByPath(session, line)
      // The path has the same bytes already, so notes that show it find them.
      if (!old && holder?.sha256 === file) return 'unchanged'
      const progress = (earlier ?? null) as StagingProgress | null
      const content = old?.sha256 === file ? null : await stage(session, { bytes, file, progress })
      if (content && 'steps' in content) return { action: 'unchanged', pending: content, again: true }
      if (old) await writer.replace(session, old, line, content)
      else if (content) await writer.insert(session, { ...line, content }, line)
      return old ? 'updated' : 'created'
    },
  }

  /** Takes what one step may of the bytes. Throws invalid_request, too_large. */
  function stage(session: Session, { bytes, file, progress }: SentBytes) {
    const { file: limit } = ATTACHMENT_LIMITS[session.workspace.kind]
    if (!bytes) throw invalid('/file', 'missing_file', 'the archive holds no file of this attachment, or a broken one')
    if (bytes.size > limit) throw new ApiError('too_large', `An attachment may have at most ${limit} bytes.`)
    if (bytes.sha256 !== file) throw invalid('/file', 'invalid_value', 'file must be the SHA-256 of its bytes')
    return blobs.stageStep(session, bytes, progress)
  }
}

interface SentBytes {
  readonly bytes: ByteSource | null
  /** Their SHA-256, as the archive has it. */
  readonly file: string
  readonly progress: StagingProgress | null
}

/** Throws invalid_request unless the name is safe as it is. */
function checkLine({ name, folder, ...line }: AttachmentLine) {
  checkFolder(folder)
  if (makeSafeName(name).name !== name) throw invalid('/name', 'invalid_name', 'name must be a safe file name')
  return { ...line, ...readStamps({ ...line, deleted_at: null }), name, folder }
}

function toLine(row: AttachmentRow): AttachmentLine {
  const { name, folder, sha256 } = row
  return { ...writeStamps(row), name, folder, file: sha256 }
}

async function* readAttachments(reader: Reader): AsyncGenerator<AttachmentRow> {
  const list = (after: readonly [string, string] | null) =>
    listAttachments(reader, { folder: undefined, nameKey: undefined, after, limit: ROWS_PER_READ })
  const cursorOf = ({ folder, name }: AttachmentRow): readonly [string, string] => [folder ?? '', name]
  for await (const rows of readPages<AttachmentRow, readonly [string, string] | null>(null, list, cursorOf)) yield* rows
}

/** Yields the attachments that `isWanted` returns true for as files of a vault. */
export async function* exportAttachments(
  reader: Reader,
  isWanted: (row: AttachmentRow) => boolean,
): AsyncGenerator<ArchiveFile> {
  for await (const row of readAttachments(reader)) {
    const { folder, name, sha256, updated_at } = row
    if (isWanted(row))
      yield {
        name: folder === null ? name : `${toSafeFolder(folder)}/${name}`,
        content: readBlob(reader, sha256),
        changed_at: updated_at,
      }
  }
}

/** Finds the attachments that a note shows or links to. Returns their keys, some of them more than once. */
export async function findLinkedFiles(
  reader: Reader,
  { folder, body }: { readonly folder: string | null; readonly body: string },
): Promise<number[]> {
  const targets = mayHaveLinks(body) ? [...new Set(listFileLinks(body).map(({ target }) => target))] : []
  const keys: number[] = []
  for (let at = 0; at < targets.length; at += MAX_TARGETS) {
    const found = await resolveFiles(reader, folder, targets.slice(at, at + MAX_TARGETS))
    for (const { key } of found.values()) keys.push(key)
  }
  return keys
}
