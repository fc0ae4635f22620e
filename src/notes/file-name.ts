import { invalid } from '../http/api-error'
import { textBytes } from '../http/resource'
import { NOTE_ENDING, stripExtension } from '../lib/file-target'
import { cutBytes } from '../lib/text'
import type { NoteDraft, NoteRow } from './store'

/** In UTF-8, with the extension: the limit of most file systems. */
const MAX_FILE_NAME_BYTES = 255
/** Bytes of a name that is made of a title, in UTF-8, with the extension. */
export const MAX_MADE_NAME_BYTES = 200
export const EXTENSION = '.md'
/** The names that Windows reserves for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\.|$)/i
/** What could lead out of a folder, hide or disguise a file. Linux and macOS allow the rest, so files keep it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const UNSAFE = /[\x00-\x1f\x7f-\x9f:/\\\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g
const FORBIDDEN = new RegExp(`${UNSAFE.source}|[<>"|?*]`, 'g')
const UNLINKABLE = /[[\]#^|]/g

/** Returns the file name if it is a safe one; null is none. Throws invalid_request. */
export function checkFileName(name: string | null): string | null {
  const fault = name === null ? null : findFault(name)
  if (fault !== null) throw invalid('/file_name', 'invalid_file_name', `file_name must ${fault}`)
  return name
}

export function toSafeFileName(name: string): string {
  if (findFault(name) === null) return name
  const extension = NOTE_ENDING.exec(name)?.[0] ?? EXTENSION
  return toSafeName(stripExtension(name), MAX_FILE_NAME_BYTES - extension.length) + extension
}

function findFault(name: string): string | null {
  if (Buffer.byteLength(name) > MAX_FILE_NAME_BYTES) return `be at most ${MAX_FILE_NAME_BYTES} bytes of UTF-8`
  const stem = stripExtension(name)
  if (stem === name || stem === '' || name !== name.trim()) return 'be the name of a Markdown file, such as Trip.md'
  if (name.search(UNSAFE) >= 0) return 'not contain / \\ : or characters that are not shown'
  return name.startsWith('.') || DEVICE.test(name) ? 'not begin with a dot or be the name of a device' : null
}

/**
 * Returns the file name that follows the title of a note that has a file name: a name that was that of the title goes
 * with it, and any other stays. Links can spell the new name.
 */
function followTitle({ file_name, title }: Pick<NoteRow, 'file_name' | 'title'>, next: string): string | null {
  if (file_name === null || next === title) return file_name
  const isOfTitle = stripExtension(file_name).normalize('NFC') === title.normalize('NFC')
  return isOfTitle || file_name === toFileName(title) ? toFileName(next) : file_name
}

function toFileName(title: string): string {
  return toSafeName(title.normalize('NFC').replace(UNLINKABLE, '-'), MAX_MADE_NAME_BYTES - EXTENSION.length) + EXTENSION
}

/** Returns the changed note with the file name that follows its title; `old` is the note before the change. */
export function withFollowedName<Note extends NoteDraft>(next: Note, old: NoteRow): Note {
  const file_name = followTitle(old, next.title)
  if (file_name === next.file_name) return next
  return { ...next, file_name, size_bytes: next.size_bytes + textBytes(file_name) - textBytes(next.file_name) }
}

/**
 * Returns the path of a folder in an export. As names of files do, levels keep what only some systems forbid, so that
 * the notes and files of a vault stay together.
 */
export function toSafeFolder(folder: string): string {
  return folder
    .split('/')
    .map((level) => (isSafeLevel(level) ? level : toSafeName(level, MAX_MADE_NAME_BYTES)))
    .join('/')
}

function isSafeLevel(level: string): boolean {
  const isHidden = level.startsWith('.') || /^__MACOSX$/i.test(level)
  return Buffer.byteLength(level) <= MAX_FILE_NAME_BYTES && level.search(UNSAFE) < 0 && !isHidden && !DEVICE.test(level)
}

/**
 * Replaces everything in a name that a system forbids: characters, device names, leading dots (hidden files) and
 * trailing dots.
 */
export function toSafeName(name: string, bytes: number): string {
  const plain = name
    .replace(FORBIDDEN, '-')
    .trim()
    .replace(/^\.+/, '_')
    .replace(DEVICE, '$1_')
    .replace(/^__MACOSX$/i, '_MACOSX')
  return cutBytes(plain, bytes).replace(/[. ]+$/, '') || 'Untitled'
}
