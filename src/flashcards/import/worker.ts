import { serveReader } from '../../imports/read-file'
import { readFlashcards } from './read-file'

serveReader(readFlashcards)
