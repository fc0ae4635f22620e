import { NOTE_ENDING } from '../lib/file-target'
import type { NoteRow } from './store'

/** Returns a file name without `.md` or `.markdown`. */
export function stripExtension(name: string): string {
  return name.replace(NOTE_ENDING, '')
}

/** Returns the name by which links find a note: that of its file without the extension, else its title. */
export function getLinkName({ file_name, title }: Pick<NoteRow, 'file_name' | 'title'>): string {
  return file_name === null ? title : stripExtension(file_name)
}
