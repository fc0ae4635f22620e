/** The script of the Worker that reads an archive; see archive.ts. */
import { serveReader } from '../imports/read-file'
import { readArchive } from './read-archive'

serveReader(readArchive)
