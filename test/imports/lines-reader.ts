/** The Worker of the test's kind. */
import { serveReader } from '../../src/imports/reading'
import { readLines } from './lines'

serveReader(readLines)
