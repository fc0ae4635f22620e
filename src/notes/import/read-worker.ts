import { serveReader } from '../../imports/reading'
import { readNotes } from './read'

serveReader(readNotes)
