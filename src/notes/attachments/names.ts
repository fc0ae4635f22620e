import type { ImportWarning } from '../../imports/kind'
import { cutBytes } from '../../lib/text'

/** Bytes of one file with a key, apart from the code that stores it: a reader in a Worker needs nothing else. */
export const MAX_ATTACHMENT_BYTES = 32 * 1024 * 1024

/** Bytes of a name in UTF-8: what file systems allow. */
export const MAX_NAME_BYTES = 255
/** Bytes of an ending that a shortened name keeps, with its dot. */
const MAX_ENDING_BYTES = 20
/** Bytes before the digest in a name that has one. */
const MAX_STEM_BYTES = 100

/** Marks that change the direction of text, with which `gpj.exe` can look like `exe.jpg`, and that break lines. */
const INVISIBLE = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu
const CONTROL = /[\p{Cc}\p{Cs}]/gu

export interface SafeName {
  readonly name: string
  /** Empty if the name is as it was sent. */
  readonly warnings: ImportWarning[]
}

/**
 * Makes a name that leads nowhere and shows what it is: the last part of a path, without control characters, halves of
 * surrogate pairs, marks of direction, a drive, blanks at the ends and leading dots, of at most 255 bytes. Reports each
 * change.
 */
export function makeSafeName(sent: string): SafeName {
  const warnings: ImportWarning[] = []
  const change = (name: string, changed: string, detail: string): string => {
    if (changed !== name) warnings.push({ code: 'name_changed', detail })
    return changed
  }
  const last = change(sent, sent.split(/[/\\]/).at(-1) ?? '', 'A name has no folders: only its last part was kept.')
  const plain = change(last, last.replace(CONTROL, ''), 'Control characters were left out of the name.')
  const visible = change(plain, plain.replace(INVISIBLE, ''), 'Marks that change how the name reads were left out.')
  const open = change(
    visible,
    visible.trim().replace(/^[.\s]+/, ''),
    'Blanks and leading dots were left out of the name.',
  )
  const anywhere = change(open, open.replace(/^([a-z]):/i, '$1-'), 'A name does not begin with a drive.')
  const named = change(anywhere, anywhere || 'file', 'Nothing was left of the name.')
  const name = change(named, shorten(named), `The name was shortened to ${MAX_NAME_BYTES} bytes.`)
  return { name, warnings }
}

/** Cuts a name to the limit; the ending stays, since programs go by it. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && Buffer.byteLength(name.slice(dot)) <= MAX_ENDING_BYTES ? name.slice(dot) : ''
  return cutBytes(name.slice(0, name.length - ending.length), MAX_NAME_BYTES - Buffer.byteLength(ending)) + ending
}

/** A file of a note of another program, whose name another file may have. */
export interface NoteFile {
  readonly name: string
  readonly sha256: string
  /** Whether the name belongs to another file of the import. */
  readonly clashes: boolean
}

/** A file of an import that becomes an attachment, as the side file keeps it; its bytes are beside it. */
export interface AttachedFile {
  /** Its place, made safe. */
  readonly attached: { readonly name: string; readonly folder: string | null }
  /** Of the file of a note: it never takes the place of another file, nor gives way to one; see nameNoteFiles. */
  readonly ofNote?: Pick<NoteFile, 'clashes'>
  /** When it was last changed, in milliseconds since 1970, where the file says so; what is later than now counts as now. */
  readonly changed_at?: number | null
  readonly warnings: readonly ImportWarning[]
}

/** Returns the name by which a note shows its file, unless the workspace has it under another one. */
export function nameOfNoteFile({ name, sha256, clashes }: NoteFile): string {
  return clashes ? nameByContent(name, sha256) : name
}

/** Names a file whose name another one has: the same for the same bytes, so that a repeat finds it. */
export function nameByContent(name: string, sha256: string): string {
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  return shorten(`${cutBytes(stem, MAX_STEM_BYTES)} ${sha256.slice(0, 8)}${ending}`)
}
