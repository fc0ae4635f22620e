/** The Worker of the test's kind. */
import { serveReader } from '../../src/imports/read-file'
import { readLines } from './lines'

serveReader(readLines)
