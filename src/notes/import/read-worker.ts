/** The worker that reads files of notes; imports start it. */

import { serveReader } from '../../imports/read-file'
import { readNotes } from './read'

serveReader(readNotes)
