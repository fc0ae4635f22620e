/**
 * What a key looks like: "satchel_", 30 random characters, and 6 check characters that catch typos.
 * Anyone can compute the check, so it proves nothing.
 */

import { english } from './in-words.js'

/** @typedef {import('./in-words.js').Say} Say */

const PREFIX = 'satchel_'
/** Digits of base 62 in their order of value. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BODY_LENGTH = 30
const CHECK_LENGTH = 6
const SHAPE = /^satchel_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** The largest multiple of 62 in a byte: from here on a byte would favour the first eight characters. */
const FAIR_BELOW = 248

/**
 * CRC-32 (reflected polynomial 0xEDB88320, initial value and final xor 0xFFFFFFFF) of ASCII text.
 * @param {string} text
 * @returns {number} 0 to 2^32 - 1
 */
export function crc32(text) {
  let crc = 0xffffffff
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

/**
 * The check characters of a body: its CRC-32 in base 62, most significant digit first, padded with "0".
 * @param {string} body
 */
export function checkOf(body) {
  let rest = crc32(body)
  let digits = ''
  for (let place = 0; place < CHECK_LENGTH; place++) {
    digits = ALPHABET.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/**
 * A new key with 178 random bits.
 * @param {(bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>} [fill] fills the bytes at random; a test hands in its own
 * @returns {string} 44 characters
 */
export function makeKey(fill = (bytes) => crypto.getRandomValues(bytes)) {
  let body = ''
  while (body.length < BODY_LENGTH) {
    for (const byte of fill(new Uint8Array(BODY_LENGTH))) {
      if (byte < FAIR_BELOW && body.length < BODY_LENGTH) body += ALPHABET.charAt(byte % 62)
    }
  }
  return PREFIX + body + checkOf(body)
}

/**
 * Whether the text is a key in Satchel's own format with a fitting check.
 * The check is compared as text: 62^6 is more than 2^32, so comparing numbers would let a second spelling pass.
 * @param {string} text
 */
export function isSatchelKey(text) {
  const [, body, check] = SHAPE.exec(text) ?? []
  return body !== undefined && checkOf(body) === check
}

/** What is said of a key of another make. @param {Say} [say] */
export const foreignAdvice = (say = english) =>
  say`Satchel did not make it: it can be guessed, and a network can start to use only a few a day.`

/**
 * Why keys are not kept, in a sentence.
 * @param {import('./key-store.js').Trouble} trouble
 * @param {Say} [say]
 */
export const troubleInWords = (trouble, say = english) =>
  trouble === 'denied'
    ? say`This browser does not store what the page asks it to keep. Keys you make now are gone when you close this tab: copy or download them.`
    : say`Some of what this browser kept here could not be read. It was left untouched beside the rest, under “satchel.keys.unreadable”.`

/**
 * Why the server would refuse the text as a key, in a sentence; null if it would not.
 * Other programs' keys: 8 to 255 visible ASCII characters.
 * @param {string} text
 * @param {Say} [say]
 * @returns {string | null}
 */
export function faultOfKey(text, say = english) {
  if (text === '') return say`Paste or type the key first.`
  if (/\s/.test(text)) return say`There is a blank or a line break in it; a key has none.`
  if (!/^[\x21-\x7e]*$/.test(text)) return say`There is a character in it that no key can have.`
  if (text.toLowerCase().startsWith(PREFIX)) return faultOfSatchelKey(text, say)
  if (text.length < 8) return say`That is too short: a key has at least 8 characters.`
  if (text.length > 255) return say`That is too long: a key has at most 255 characters.`
  return null
}

/**
 * @param {string} text starts with the prefix, in any letter case
 * @param {Say} say
 */
function faultOfSatchelKey(text, say) {
  if (isSatchelKey(text)) return null
  if (SHAPE.test(text)) return say`That key has a typo: its last six characters do not match the rest.`
  const expected = PREFIX.length + BODY_LENGTH + CHECK_LENGTH
  if (text.length !== expected) return say`A Satchel key has ${expected} characters; this has ${text.length}.`
  return say`A Satchel key is “satchel_” in small letters, then 36 letters and digits.`
}

/**
 * Enough of a key to recognize it, not to use it.
 * @param {string} key
 */
export function maskKey(key) {
  if (!isSatchelKey(key)) return `${key.slice(0, 2)}…`
  return `${key.slice(0, PREFIX.length + 4)}…${key.slice(-4)}`
}
