import { findEarlierFile } from '../../imports/earlier-files'
import type { ImportWarning, Line, Step, StoredItem } from '../../imports/kind'
import { getFileHashes } from '../store'
import type { ParsedValue } from './parsed'

// Notes of a vault are known by their paths, and two vaults may have notes of one path, such as README.md.

const OTHER_FILE: ImportWarning = {
  code: 'other_file',
  detail:
    'Another archive was imported before, and most notes whose paths both have differ. So nothing of that one was changed: the notes of this archive are new.',
}

interface FoundArchive {
  readonly first: string
  /** What the archive adds to the source ids of its notes, so that those of another one are others. */
  readonly suffix: string
  /** Whether an earlier step found it. */
  readonly isKnown: boolean
  readonly isOther: boolean
}

/** Finds the archive of a group of notes; null if their paths are not their sources. */
export async function findArchive(step: Step, items: readonly StoredItem<ParsedValue>[]): Promise<FoundArchive | null> {
  const note = items.map(({ value }) => value).find((value) => 'draft' in value && value.archive)
  if (!note || !('draft' in note) || !note.archive || !note.source) return null
  const { first, sample } = note.archive
  const known = step.lineOfKey(first)?.left as { readonly suffix: string } | undefined
  if (known) return { first, ...known, isKnown: true, isOther: false }
  const [whole] = sample.length > 0 ? [] : step.itemsOfKey<ParsedValue>(first)
  const notes = whole && 'draft' in whole.value ? (whole.value.archive?.sample ?? []) : sample
  const { db, workspace } = step.session
  const { system } = note.source
  const compare = async (number: number) => {
    const suffix = toSuffix(String(number))
    const ids = notes.map(({ id }) => id + suffix)
    const hashes = await getFileHashes(db, workspace.id, system, ids)
    const same = notes.filter(({ id, digest }) => hashes.get(id + suffix) === digest).length
    return { same, changed: hashes.size - same }
  }
  const digest = new Bun.CryptoHasher('sha256').update(JSON.stringify(notes)).digest('base64url').slice(0, 16)
  const { name, isOther } = await findEarlierFile(compare, notes.length, digest)
  return { first, suffix: toSuffix(name), isKnown: false, isOther }
}

/** No path of a note ends like this. */
const toSuffix = (name: string): string => (name === '0' ? '' : `#${name}`)

/** Returns the note with the source id that it has among those of its archive. */
export function withNumber(value: ParsedValue, suffix: string): ParsedValue {
  if (!('draft' in value) || !value.archive || !value.source) return value
  return { ...value, source: { ...value.source, id: value.source.id + suffix } }
}

/** Leaves with the first line which archive it is. */
export function withArchive(line: Line, { suffix, isKnown, isOther }: FoundArchive): Line {
  if (isKnown) return line
  return { ...line, left: { suffix }, warnings: [...(isOther ? [OTHER_FILE] : []), ...(line.warnings ?? [])] }
}
