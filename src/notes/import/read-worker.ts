/** The worker that reads files of notes; imports start it. */

import { serveReader } from '../../imports/reading'
import { readNotes } from './read'

serveReader(readNotes)
