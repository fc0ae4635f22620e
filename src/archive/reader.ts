import { serveReader } from '../imports/reading'
import { readArchive } from './read'

serveReader(readArchive)
