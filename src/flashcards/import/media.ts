import type { StagingProgress } from '../../blobs/staging'
import type { Session } from '../../db/database'
import type { Step, StoredItem } from '../../imports/kind'
import type { StudyContext } from '../context'
import { MEDIA_LIMITS } from '../media/media'
import { makeFreeName } from '../media/media-file'
import { countMediaBytes, getMedia, getMediaName, hasContent } from '../media/store'
import type { ItemReport } from './item-report'
import type { StoredMedia } from './read-file'

export type ImportMedia = (step: Step, item: StoredItem<StoredMedia>, report: ItemReport) => Promise<void>

/** Stores a large medium in several steps. One beyond the limits fails in its report. Throws quota_exceeded. */
export function createMediaImport({ mediaWriter, blobs }: StudyContext): ImportMedia {
  return async ({ session, bytes: bytesOf, line }, { seq, value }, report) => {
    const { name, sha256 } = value
    const first = await getMedia(session, name)
    const other = first && first.sha256 !== sha256 ? makeFreeName(name, sha256) : name
    const held = other === name ? first : await getMedia(session, other)
    const known = held?.sha256 === sha256 ? held : null
    if (other !== name) report.warn('media_renamed', `The name has other bytes: this file is called ${other}.`)
    if (known) return report.setResult('unchanged', known.id)
    const bytes = bytesOf(seq)
    if (!bytes) throw new Error(`medium ${name} has no bytes`)
    if (!(await hasRoom(session, bytes.size, sha256)))
      return report.fail('media_quota', 'There is no room for the media file.')
    const earlier = line(seq)
    const content = await blobs.stageStep(session, bytes, earlier?.again ? (earlier.left as StagingProgress) : null)
    if ('steps' in content) return report.leave(content)
    const { id } = await mediaWriter.put(session, { name: other, content }, held)
    report.setResult('created', id)
  }
}

async function hasRoom({ db, workspace }: Session, size: number, sha256: string): Promise<boolean> {
  const { file, all } = MEDIA_LIMITS[workspace.kind]
  if (size > file) return false
  if (all === Number.POSITIVE_INFINITY || (await hasContent({ db, workspace }, sha256))) return true
  return (await countMediaBytes({ db, workspace })) + size <= all
}

/** Returns the names here of media that were renamed, by their names in the file. */
export type FindRenamedMedia = (names: readonly string[]) => Promise<ReadonlyMap<string, string>>

/** Finds renamed media in the results of earlier items of the run. Looks up each name once. */
export function findRenamedMedia({ session, lineOfKey }: Step): FindRenamedMedia {
  const asked = new Map<string, string | null>()

  async function nameOf(name: string): Promise<string | null> {
    const known = asked.get(name)
    if (known !== undefined) return known
    const id = lineOfKey(name, 'media')?.id
    const found = id == null ? null : await getMediaName(session, id)
    asked.set(name, found)
    return found
  }

  return async (names) => {
    const renamed = new Map<string, string>()
    for (const name of names) {
      const other = await nameOf(name)
      if (other !== null && other !== name) renamed.set(name, other)
    }
    return renamed
  }
}
