/** QR codes (ISO/IEC 18004): bytes, error correction M, versions 1 to 6. Our own, with one mask: packages have three to five times the bytes. */

/** Of each version: its codewords in all, those of each block that correct errors, and its blocks of one length. @type {[all: number, checks: number, blocks: number][]} */
const VERSIONS = [
  [26, 10, 1],
  [44, 16, 1],
  [70, 26, 1],
  [100, 18, 2],
  [134, 24, 2],
  [172, 16, 4],
]

/** Rows of modules; true is dark, undefined is free. @typedef {(boolean | undefined)[][]} Grid */

/**
 * The modules of the smallest code that holds a text, without the quiet zone of four modules that belongs around it.
 * @param {string} text
 * @returns {boolean[][] | null} rows, true for dark; null for more than 106 bytes of UTF-8
 */
export function encodeQr(text) {
  const bytes = new TextEncoder().encode(text)
  const version = VERSIONS.findIndex(([all, checks, blocks]) => bytes.length + 2 <= all - checks * blocks)
  const sizes = VERSIONS[version]
  if (!sizes) return null
  const grid = drawPatterns(21 + 4 * version)
  const bits = codewords(bytes, ...sizes).flatMap((word) => bitsOf(word, 8))
  const free = freeModules(grid)
  // The mask that inverts every other module. Readers take any of eight; a key is random enough for each of them.
  for (const [place, [x, y]] of free.entries()) set(grid, x, y, (bits[place] === 1) !== ((x + y) % 2 === 0))
  return grid.map((row) => row.map(Boolean))
}

/**
 * @param {number} value
 * @param {number} length
 */
function bitsOf(value, length) {
  return Array.from({ length }, (_, place) => (value >>> (length - 1 - place)) & 1)
}

/**
 * The text with what precedes and fills it, in blocks with their checks, interleaved.
 * @param {Uint8Array} bytes
 * @param {number} all
 * @param {number} checks
 * @param {number} blocks
 */
function codewords(bytes, all, checks, blocks) {
  // The mode, 4, has half a byte, so each byte of the code has a half of two.
  const halves = [4, ...[bytes.length, ...bytes].flatMap((byte) => [byte >>> 4, byte & 15]), 0]
  const words = Array.from(
    { length: halves.length / 2 },
    (_, at) => 16 * (halves[2 * at] ?? 0) + (halves[2 * at + 1] ?? 0),
  )
  for (let filler = 0xec; words.length < all - checks * blocks; filler ^= 0xfd) words.push(filler)
  const length = words.length / blocks
  const data = Array.from({ length: blocks }, (_, block) => words.slice(block * length, (block + 1) * length))
  const generator = generatorOf(checks)
  return [data, data.map((block) => checksOf(block, generator))].flatMap(
    (parts) => parts[0]?.flatMap((_, place) => parts.map((block) => block[place] ?? 0)) ?? [],
  )
}

/**
 * Multiplies in GF(256) modulo 0x11d.
 * @param {number} a
 * @param {number} b
 */
function times(a, b) {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) product = (product << 1) ^ ((product >>> 7) * 0x11d) ^ (((b >>> bit) & 1) * a)
  return product
}

/** The coefficients of the Reed-Solomon generator after the first, which is 1. @param {number} degree */
function generatorOf(degree) {
  let generator = [1]
  for (let power = 0, root = 1; power < degree; power++, root = times(root, 2))
    generator = [...generator, 0].map((value, at) => value ^ times(generator[at - 1] ?? 0, root))
  return generator.slice(1)
}

/**
 * @param {readonly number[]} block
 * @param {readonly number[]} generator
 */
function checksOf(block, generator) {
  let rest = generator.map(() => 0)
  for (const word of block) {
    const factor = word ^ (rest[0] ?? 0)
    rest = generator.map((value, at) => (rest[at + 1] ?? 0) ^ times(value, factor))
  }
  return rest
}

/**
 * @param {Grid} grid
 * @param {number} x
 * @param {number} y
 * @param {boolean} dark
 */
function set(grid, x, y, dark) {
  const row = grid[y]
  if (row && x >= 0 && x < grid.length) row[x] = dark
}

/** What every code of a size has, and room for its format. @param {number} size */
function drawPatterns(size) {
  /** @type {Grid} */
  const grid = Array.from({ length: size }, () => new Array(size).fill(undefined))
  for (let at = 0; at < size; at++) {
    set(grid, 6, at, at % 2 === 0)
    set(grid, at, 6, at % 2 === 0)
  }
  drawSquares(grid, 3, 3, 4)
  drawSquares(grid, size - 4, 3, 4)
  drawSquares(grid, 3, size - 4, 4)
  if (size > 21) drawSquares(grid, size - 7, size - 7, 2)
  drawFormat(grid)
  return grid
}

/**
 * Squares within each other, dark and light by turns.
 * @param {Grid} grid
 * @param {number} x of the middle
 * @param {number} y of the middle
 * @param {2 | 4} reach from the middle: a mark of alignment, or a corner with the light ring around it
 */
function drawSquares(grid, x, y, reach) {
  for (let right = -reach; right <= reach; right++)
    for (let down = -reach; down <= reach; down++) {
      const ring = Math.max(Math.abs(right), Math.abs(down))
      set(grid, x + right, y + down, reach === 2 ? ring !== 1 : ring !== 2 && ring !== 4)
    }
}

/** Writes the level of correction, M, and the mask, 0, twice. @param {Grid} grid */
function drawFormat(grid) {
  const size = grid.length
  for (const [at, bit] of bitsOf(0x5412, 15).reverse().entries()) {
    set(grid, 8, at < 6 ? at : at < 8 ? at + 1 : size - 15 + at, bit === 1)
    set(grid, at < 8 ? size - 1 - at : at < 9 ? 7 : 14 - at, 8, bit === 1)
  }
  set(grid, 8, size - 8, true)
}

/** The modules for data in their order: two columns at a time from the right, up and down by turns. @param {Grid} grid */
function freeModules(grid) {
  const size = grid.length
  /** @type {[x: number, y: number][]} */
  const free = []
  for (let turn = 0; turn < (size - 1) / 2; turn++)
    for (let down = 0; down < 2 * size; down++) {
      const right = size - 1 - 2 * turn - (down % 2)
      const x = turn < (size - 7) / 2 ? right : right - 1 // the column of the pattern at 6 is none
      const y = turn % 2 === 0 ? size - 1 - (down >> 1) : down >> 1
      if (grid[y]?.[x] === undefined) free.push([x, y])
    }
  return free
}
