vcl 4.1;

# Dropleaf behind Varnish 7.0 or newer: keeps public raw pages (/p/{slug}/raw) until their drop is purged, and forwards
# everything else. Start it with
#
#   EDGE_PURGE_TOKEN=… varnishd -a :80 -f /path/to/varnish.vcl -s malloc,1g
#
# and set for every process of Dropleaf
#
#   EDGE_PURGER=varnish  EDGE_PURGE_URL=http://varnish-1:80,http://varnish-2:80  EDGE_PURGE_TOKEN=…  TRUST_PROXY=1
#
# Change the backend below, and without a token the addresses that may purge. It needs only the module std and no
# parameter (`-p`); http_gzip_support may be on or off, see vcl_hash.

import std;

# Where Dropleaf listens. For several web processes on several machines declare each, and choose one in vcl_recv with a
# director (import directors), or put the name of a load balancer here.
backend default {
  .host = "127.0.0.1";
  .port = "3000";
  .connect_timeout = 2s;
  # A request may take REQUEST_SECONDS (60) to arrive, and its answer ANSWER_MS more.
  .first_byte_timeout = 75s;
  .between_bytes_timeout = 15s;
}

# Addresses that may purge while EDGE_PURGE_TOKEN is unset in Varnish's environment. With a token only the token counts. Set
# one if a program on this machine forwards requests without X-Forwarded-For (a TLS terminator in TCP mode).
acl purgers {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  unset req.http.X-Encoding;

  if (req.method == "PURGE") {
    call purge_tag;
  }

  # Not cached: the viewer counts views and reads the passcode cookie, and API answers are private.
  if (req.url !~ "^/p/[A-Za-z0-9_-]{1,64}/raw(\?|$)" || (req.method != "GET" && req.method != "HEAD")) {
    return (pass);
  }

  # The cache key is path, form (framed=1: for the viewer's frame), internal id (id) and version (v). The origin receives these and the
  # grant (g), so nothing else that a client sends can change what others get. Of a repeated parameter the first counts, as at the origin.
  set req.http.X-Query = "&" + regsub(req.url, "^[^?]*\??", "");
  set req.http.X-Key = "";
  if (req.http.X-Query ~ "&framed=1(&|$)") {
    set req.http.X-Key = req.http.X-Key + "&framed=1";
  }
  if (req.http.X-Query ~ "&id=") {
    set req.http.X-Key = req.http.X-Key + "&id=" + regsub(req.http.X-Query, "^.*?&id=([^&]*).*$", "\1");
  }
  if (req.http.X-Query ~ "&v=") {
    set req.http.X-Key = req.http.X-Key + "&v=" + regsub(req.http.X-Query, "^.*?&v=([^&]*).*$", "\1");
  }
  # Any other value is not forwarded: it would mean nothing to the origin.
  if (req.http.X-Query ~ "&g=[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*){4}(&|$)") {
    set req.http.X-Key = req.http.X-Key + "&g=" + regsub(req.http.X-Query, "^.*?&g=([A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*){4})(&.*)?$", "\1");
  }
  set req.url = regsub(req.url, "\?.*$", "") + regsub(req.http.X-Key, "^&", "?");
  unset req.http.X-Query;
  unset req.http.X-Key;

  # Each page is kept in three content encodings: brotli, gzip, identity. q=0 refuses an encoding.
  if (req.http.Accept-Encoding ~ "(?i)(^|,)\s*br\s*(;\s*q=(1(\.0*)?|0?\.\d*[1-9]\d*)\s*)?(,|$)") {
    set req.http.X-Encoding = "br";
  } elsif (req.http.Accept-Encoding ~ "(?i)(^|,)\s*gzip\s*(;\s*q=(1(\.0*)?|0?\.\d*[1-9]\d*)\s*)?(,|$)") {
    set req.http.X-Encoding = "gzip";
  } else {
    set req.http.X-Encoding = "identity";
  }
  set req.http.Accept-Encoding = req.http.X-Encoding;

  # A grant opens a locked page, which no cache keeps.
  if (req.url ~ "[?&]g=") {
    return (pass);
  }

  # Cookies are forwarded, because one opens a locked page. Answers to such a cookie are `private, no-store`.
  return (hash);
}

# PURGE with the tag in Surrogate-Key. The ban names only fields of stored objects, so that the ban lurker can free their
# memory; a repeated ban replaces the earlier one in the list.
sub purge_tag {
  if (std.getenv("EDGE_PURGE_TOKEN")) {
    if (req.http.Authorization != "Bearer " + std.getenv("EDGE_PURGE_TOKEN")) {
      return (synth(403, "Forbidden"));
    }
  } elsif (client.ip !~ purgers || req.http.X-Forwarded-For ~ ",") {
    # A comma in X-Forwarded-For: another proxy forwarded the request, so the address is not the sender's.
    return (synth(403, "Forbidden"));
  }
  if (req.http.Surrogate-Key !~ "^[A-Za-z0-9_-]{1,100}$") {
    return (synth(400, "Bad tag"));
  }
  if (!std.ban("obj.http.Surrogate-Key == " + req.http.Surrogate-Key)) {
    std.log("ban: " + std.ban_error());
    return (synth(503, "Not purged"));
  }
  return (synth(200, "Purged"));
}

# The key contains the host, because CONTENT_ORIGIN serves each drop at its own host, and the content encoding, because
# Varnish's own gzip support does not know brotli.
sub vcl_hash {
  hash_data(req.url);
  hash_data(std.tolower(req.http.Host));
  hash_data(req.http.X-Encoding);
  return (lookup);
}

sub vcl_backend_fetch {
  if (bereq.http.X-Encoding) {
    set bereq.http.Accept-Encoding = bereq.http.X-Encoding;
    unset bereq.http.X-Encoding;
  }
}

sub vcl_backend_response {
  if (bereq.uncacheable) {
    return (deliver);
  }

  # Only tagged answers with s-maxage are kept, because only those can be purged. Other answers (locked pages, 404, a page
  # without its final render) go to one client each; for 10 s requests for them do not wait for each other.
  if (beresp.status != 200 || !beresp.http.Surrogate-Key || beresp.http.Cache-Control !~ "s-maxage=" || beresp.ttl <= 0s) {
    set beresp.uncacheable = true;
    set beresp.ttl = 10s;
    return (deliver);
  }

  # A purge misses a page that is on its way from the origin. The purge is repeated a second later and catches pages that
  # took less than that; a page that took longer is kept until two seconds after its request, or not at all.
  if (beresp.time - bereq.time > 0.8s) {
    set beresp.grace = 0s;
    set beresp.keep = 0s;
    if (beresp.time - bereq.time > 1.7s) {
      set beresp.uncacheable = true;
      set beresp.ttl = 1s;
    } else {
      set beresp.ttl = 1.8s - (beresp.time - bereq.time);
    }
    return (deliver);
  }

  # Grace: for a minute after it expired a page is served while Varnish fetches it again or the origin is down. A purged
  # page is removed and never served. No grace if EDGE_TTL_SECONDS is at most a minute, or if the drop expires soon.
  set beresp.keep = 0s;
  if (beresp.ttl > 60s && beresp.http.Cache-Control !~ "proxy-revalidate") {
    set beresp.grace = 60s;
  } else {
    set beresp.grace = 0s;
  }
  return (deliver);
}

sub vcl_deliver {
  if (obj.hits > 0) {
    set resp.http.X-Cache = "hit";
  } else {
    set resp.http.X-Cache = "miss";
  }
  # Caches between Varnish and the client are not purged, so they must not keep the page.
  if (resp.http.Surrogate-Key) {
    set resp.http.Cache-Control = regsuball(resp.http.Cache-Control, ",\s*(s-maxage|stale-while-revalidate)=\d+", "");
  }
  unset resp.http.Surrogate-Key;
  unset resp.http.X-Varnish;
  unset resp.http.Via;
}

# Errors in Dropleaf's format.
sub vcl_synth {
  set resp.http.Content-Type = "application/json; charset=utf-8";
  set resp.http.Cache-Control = "private, no-store";
  if (resp.status == 200) {
    set resp.body = """{"purged":true}""";
  } elsif (resp.status == 403) {
    set resp.body = """{"error":{"code":"forbidden","message":"This address or token may not purge."}}""";
  } elsif (resp.status == 503) {
    set resp.http.Retry-After = "1";
    set resp.body = """{"error":{"code":"unavailable","message":"The purge failed; try again.","details":{"retry_after_seconds":1}}}""";
  } else {
    set resp.body = """{"error":{"code":"invalid_arg","message":"Varnish cannot handle this request."}}""";
  }
  return (deliver);
}

sub vcl_backend_error {
  set beresp.http.Content-Type = "application/json; charset=utf-8";
  set beresp.http.Content-Security-Policy = "sandbox";
  set beresp.http.X-Content-Type-Options = "nosniff";
  set beresp.http.Cache-Control = "private, no-store";
  set beresp.http.Retry-After = "5";
  set beresp.body = """{"error":{"code":"unavailable","message":"The service is temporarily unavailable.","details":{"retry_after_seconds":5}}}""";
  return (deliver);
}
