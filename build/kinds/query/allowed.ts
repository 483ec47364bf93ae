/** Names that queries may use, with the reason why they give the same bytes on every machine, now and later. */
interface Allowed {
  readonly reason: string;
  /**
   * Set if the result can depend on the order of rows. `digits`: only the last digit of a sum of doubles can. `values`: any value can.
   * DISTINCT loses the order, so with DISTINCT such a function needs an ORDER BY.
   */
  readonly follows?: 'values' | 'digits';
  /** In lower case, as in DuckDB's syntax tree. */
  readonly names: readonly string[];
}

/**
 * The functions, operators, aggregates, window functions and macros that a query may call. All others are refused, so that a new version of
 * DuckDB does not add any. Left out are functions that depend on the clock, chance, the session, the machine or DuckDB itself, and:
 * - functions of the system's math library (powers, logarithms, angles), whose last digits differ between processors;
 * - results in the order of a hash map (`list_distinct`, `list_intersect`, `histogram`), and estimates (`approx_…`);
 * - sums over vectors, whose order depends on the processor;
 * - fused multiply-add, whose last digits differ on ARM (deviations, variances, correlations, `quantile_cont`, `fill`);
 * - `long double`, whose width depends on the platform (`avg`);
 * - aggregates without an order (`json_group_array`), DuckDB's own hashes, time zones, and paths with the system's separator.
 */
export const FUNCTIONS: readonly Allowed[] = [
  {
    reason: 'arithmetic of integers, decimals and IEEE 754 doubles, each operation exact or rounded to the nearest',
    names: words(`
      + - * / // % @ add subtract multiply divide mod fmod fdiv abs sign signbit ceil ceiling floor trunc round round_even roundbankers
      even sqrt pi degrees radians gcd greatest_common_divisor lcm least_common_multiple factorial !__postfix isfinite isinf isnan
      nextafter greatest least nullif
    `),
  },
  {
    reason: 'bits of integers and bit strings',
    names: words('& | ~ << >> xor bit_count bit_length bit_position get_bit set_bit bitstring'),
  },
  {
    reason: 'texts by their code points, with tables of Unicode that DuckDB contains',
    names: words(`
      || ^@ @> <@ && concat concat_ws len length length_grapheme strlen char_length character_length octet_length lower lcase upper ucase
      left left_grapheme right right_grapheme substr substring substring_grapheme reverse repeat replace translate trim ltrim rtrim lpad
      rpad prefix starts_with suffix ends_with contains instr position strpos ascii unicode ord chr split string_split str_split split_part
      string_to_array strip_accents nfc_normalize format printf format_bytes formatreadablesize formatreadabledecimalsize
      parse_formatted_bytes bar to_base url_encode url_decode
    `),
  },
  {
    reason: 'patterns of LIKE, and regular expressions of RE2, which DuckDB contains',
    names: words(`
      ~~ !~~ ~~* !~~* ~~~ like_escape not_like_escape ilike_escape not_ilike_escape regexp_matches regexp_full_match regexp_extract
      regexp_extract_all regexp_replace regexp_escape regexp_split_to_array regexp_split_to_table str_split_regex string_split_regex
    `),
  },
  {
    reason: 'similarity of texts: counts, and quotients of counts',
    names: words('levenshtein editdist3 damerau_levenshtein hamming mismatches jaccard jaro_similarity'),
  },
  {
    reason: 'digests and encodings that standards define',
    names: words(`
      md5 md5_number md5_number_lower md5_number_upper sha1 sha256 hex to_hex from_hex unhex bin to_binary from_binary unbin base64
      to_base64 from_base64 encode decode uuid_extract_version
    `),
  },
  {
    reason: 'dates and times of the proleptic Gregorian calendar, without a time zone and with English names',
    names: words(`
      year month day hour minute second millisecond microsecond nanosecond quarter decade century millennium era week weekday weekofyear
      yearweek isodow isoyear dayofmonth dayofweek dayofyear dayname monthname julian last_day days_in_month epoch epoch_ms epoch_us
      epoch_ns date_part datepart date_diff datediff date_sub datesub date_trunc datetrunc date_add time_bucket make_date make_time
      make_timestamp make_timestamp_ms make_timestamp_ns strftime strptime try_strptime to_microseconds to_milliseconds to_seconds
      to_minutes to_hours to_days to_weeks to_months to_quarters to_years to_decades to_centuries to_millennia
    `),
  },
  {
    reason: 'lists, in the order that they have or are sorted to',
    names: words(`
      list_value list_pack array_value list_extract array_extract list_element element_at list_slice array_slice list_concat list_cat
      array_concat array_cat list_append array_append array_push_back list_prepend array_prepend array_push_front array_pop_back
      array_pop_front list_reverse array_reverse list_sort array_sort list_reverse_sort array_reverse_sort list_grade_up array_grade_up
      grade_up list_contains array_contains list_has array_has list_has_any array_has_any list_has_all array_has_all list_position
      array_position list_indexof array_indexof list_unique array_unique array_length list_resize array_resize list_select array_select
      list_where array_where list_zip array_zip flatten range generate_series generate_subscripts array_to_string
      array_to_string_comma_default list_transform array_transform list_apply array_apply apply list_filter array_filter filter
      list_reduce array_reduce reduce unnest
    `),
  },
  {
    reason:
      'aggregates over a list, each named here; list_aggregate and its like take the name of one of the aggregates below, as a text',
    names: words(`
      list_aggregate list_aggr array_aggregate array_aggr aggregate list_any_value list_bit_and list_bit_or list_bit_xor
      list_bool_and list_bool_or list_count list_first list_last list_mad list_max list_median list_min list_mode list_product
      list_string_agg list_sum
    `),
  },
  {
    reason: 'structs, maps, unions and enums, which keep their members in the written order',
    names: words(`
      row struct_pack struct_extract struct_extract_at struct_concat struct_insert struct_update struct_keys struct_values struct_has
      struct_contains struct_position struct_indexof map map_from_entries map_concat map_contains map_contains_entry map_contains_value
      map_entries map_extract map_extract_value map_keys map_values cardinality union_value union_extract union_tag enum_code enum_first
      enum_last enum_range enum_range_boundary typeof
    `),
  },
  {
    reason: 'JSON, whose members stay in the order of its text',
    names: words(`
      ->> json json_array json_array_length json_contains json_exists json_extract json_extract_path json_extract_path_text
      json_extract_string json_keys json_merge_patch json_object json_pretty json_quote json_structure json_transform
      json_transform_strict from_json from_json_strict json_type json_valid json_value to_json array_to_json row_to_json
    `),
  },
  {
    reason: 'aggregates whose result does not depend on the order of rows',
    names: words(`
      count count_star count_if countif min max bool_and bool_or bit_and bit_or bit_xor bitstring_agg median quantile quantile_disc mad
      regr_count
    `),
  },
  {
    reason:
      'sums, which are exact unless they are of doubles: a query with one is run over its tables in two orders, and refused if a digit differs',
    follows: 'digits',
    names: words('sum fsum kahan_sum sumkahan favg wavg weighted_avg product regr_avgx regr_avgy'),
  },
  {
    reason:
      'aggregates in the order of rows, which needs an ORDER BY of their own: a query with one is run over its tables in two orders',
    follows: 'values',
    names: words(`
      any_value arbitrary first last list array_agg string_agg group_concat listagg arg_max arg_max_null arg_max_nulls_last argmax max_by
      arg_min arg_min_null arg_min_nulls_last argmin min_by mode
    `),
  },
  {
    reason: 'window functions, in the order that their window names',
    names: words(`
      row_number rank dense_rank rank_dense percent_rank cume_dist ntile lag lead first_value last_value nth_value
    `),
  },
];

/** Refused functions that compute in a precision that differs between platforms. */
export const AVERAGES = words('avg mean list_avg');

/** Refused functions, and the allowed expressions that people can use in their place. */
export const REPLACEMENTS: readonly (readonly [names: readonly string[], remedy: string])[] = [
  [AVERAGES, 'Write sum(x) / count(x), or list_sum(x) / list_count(x) for a list.'],
  [
    words('quantile_cont approx_quantile reservoir_quantile'),
    'Write median(x), for decimals median(x::DOUBLE), or quantile_disc(x, 0.9).',
  ],
  [words('approx_count_distinct'), 'Write count(DISTINCT x).'],
  [words('pow power ^ **'), 'Write a square as x * x.'],
  [words('age'), `Write date_diff('day', x, y).`],
  [words('now today get_current_timestamp'), 'Use a date of the list, such as max(day), in place of the clock.'],
];

/** The types that a query may cast to. They have the same values on every machine and no time zone. */
export const TYPES: readonly Allowed[] = [
  {
    reason: 'numbers of a fixed width, and exact decimals',
    names: words(`
      boolean tinyint smallint integer bigint hugeint utinyint usmallint uinteger ubigint uhugeint bignum float double decimal
    `),
  },
  {reason: 'texts, bytes and bits', names: words('varchar char blob bit uuid json')},
  {
    reason: 'dates, times and intervals without a time zone',
    names: [...words('date time interval timestamp timestamp_s timestamp_ms timestamp_ns time_ns'), 'time (ns)'],
  },
  {reason: 'types that contain other values', names: words('list array struct map union enum')},
];

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
