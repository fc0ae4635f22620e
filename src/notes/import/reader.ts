import { serveReader } from '../../imports/read-file'
import { readNotes } from './read'

serveReader(readNotes)
