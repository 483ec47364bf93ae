import {parentPort, workerData} from 'node:worker_threads';

// Compares numbers in a thread of its own: posts whether none of them stands twice. The numbers are whole, of 53 bits, and evenly
// spread, as parts of a hash are. (Multiplying and `| 0` where a division and `Math.floor` would read better: they make this three
// times as fast.)

const BITS = 53;
const BUCKETS = 1024;
const BUCKET_SIZE = 2 ** BITS / BUCKETS;
const FREE = -1;

const starts = startsOf(workerData);
putIntoBuckets(workerData, starts);
parentPort.postMessage(bucketsAreDistinct(workerData, starts));

/** Where each bucket starts, and in the end where the last one ends: by their size, so that the table of each fits the processor's cache. */
function startsOf(numbers) {
  const starts = new Uint32Array(BUCKETS + 1);
  for (let index = 0; index < numbers.length; index++) starts[bucketOf(numbers[index]) + 1]++;
  for (let bucket = 1; bucket <= BUCKETS; bucket++) starts[bucket] += starts[bucket - 1];
  return starts;
}

/** Each number goes to the next place of its bucket, and the number that stood there goes on. */
function putIntoBuckets(numbers, starts) {
  const next = starts.slice();
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    for (let index = next[bucket]; index < starts[bucket + 1]; index = next[bucket]) {
      let number = numbers[index];
      for (let its = bucketOf(number); its !== bucket; its = bucketOf(number)) {
        const place = next[its]++;
        const other = numbers[place];
        numbers[place] = number;
        number = other;
      }
      numbers[index] = number;
      next[bucket] = index + 1;
    }
  }
}

function bucketsAreDistinct(sorted, starts) {
  const sizes = starts.subarray(1).map((end, bucket) => end - starts[bucket]);
  const largest = sizes.reduce((most, size) => Math.max(most, size), 1);
  const slots = new Float64Array(2 ** Math.ceil(Math.log2(2 * largest)));
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    if (!bucketIsDistinct(sorted.subarray(starts[bucket], starts[bucket + 1]), bucket * BUCKET_SIZE, slots))
      return false;
  }
  return true;
}

/** Open addressing: a number goes to the first free slot from the one that its place in the bucket's range points to. */
function bucketIsDistinct(numbers, base, slots) {
  const slotsPerNumber = slots.length / BUCKET_SIZE;
  const mask = slots.length - 1;
  slots.fill(FREE);
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index];
    let slot = ((number - base) * slotsPerNumber) | 0;
    while (slots[slot] !== FREE) {
      if (slots[slot] === number) return false;
      slot = (slot + 1) & mask;
    }
    slots[slot] = number;
  }
  return true;
}

function bucketOf(number) {
  return (number * (1 / BUCKET_SIZE)) | 0;
}
