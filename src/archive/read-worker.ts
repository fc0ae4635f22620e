import { serveReader } from '../imports/read-file'
import { readArchive } from './read-archive'

serveReader(readArchive)
